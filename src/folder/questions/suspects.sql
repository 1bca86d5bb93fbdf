-- The suspect rows that the filters match. `is_new`: after the day that is compared with.
SELECT product, day > since AS is_new
FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
WHERE excluded = 'suspect' AND day BETWEEN first_day AND last_day
