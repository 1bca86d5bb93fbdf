-- Which wordings of products the filters match.
CREATE TEMP TABLE wanted AS
SELECT listing FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)
