-- The listings that the filters match, in the table `wanted`.
CREATE TEMP TABLE wanted AS
SELECT listing FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)
