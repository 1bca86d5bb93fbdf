-- Makes the table `marked` of the rows of `unmarked`: each with `excluded`, the rule by which it is no observation, the
-- number of its series, the day of the next observation, and whether the one before in its series has another price.

-- The rows of days on which a product has several.
CREATE TEMP TABLE several AS
SELECT product, day, place, currency, selling_price
FROM unmarked SEMI JOIN (SELECT product, day FROM unmarked GROUP BY ALL HAVING count(*) > 1) USING (product, day)
ANTI JOIN suspect USING (product, day, place)
WHERE selling_price IS NOT NULL;

-- The currency of a day with several: the one that the product had on most of the 28 days before, ties by code.
CREATE TEMP TABLE currency_of_day AS
WITH mixed AS (
  SELECT DISTINCT product, day, currency
  FROM several SEMI JOIN (SELECT product, day FROM several GROUP BY ALL HAVING count(DISTINCT currency) > 1)
    USING (product, day)
), earlier AS (
  SELECT DISTINCT product, day, currency
  FROM unmarked SEMI JOIN mixed USING (product) ANTI JOIN suspect USING (product, day, place)
)
SELECT mixed.product, mixed.day, mixed.currency
FROM mixed LEFT JOIN earlier ON earlier.product = mixed.product AND earlier.currency = mixed.currency
  AND earlier.day BETWEEN mixed.day - 28 AND mixed.day - 1
GROUP BY mixed.product, mixed.day, mixed.currency
QUALIFY row_number() OVER (PARTITION BY mixed.product, mixed.day ORDER BY count(earlier.day) DESC, mixed.currency) = 1;

CREATE TEMP TABLE excluded_row AS
SELECT product, day, place, 'suspect' AS excluded FROM suspect
UNION ALL
SELECT product, day, place, 'no price' FROM unmarked WHERE selling_price IS NULL
UNION ALL
SELECT product, day, place, 'other currency'
FROM several JOIN currency_of_day USING (product, day) WHERE several.currency <> currency_of_day.currency
UNION ALL
SELECT product, day, place, 'dearer'
FROM several LEFT JOIN currency_of_day USING (product, day)
WHERE several.currency = coalesce(currency_of_day.currency, several.currency)
QUALIFY row_number() OVER (PARTITION BY product, day ORDER BY selling_price, place) > 1;

-- The series of products that changed their currency: a series begins with the day of a change.
CREATE TEMP TABLE series AS
WITH several_currencies AS (
  SELECT product FROM unmarked GROUP BY product HAVING min(currency) <> max(currency)
), step AS (
  SELECT product, day, currency,
    lag(currency) OVER (PARTITION BY product ORDER BY day) AS currency_before
  FROM unmarked SEMI JOIN several_currencies USING (product) ANTI JOIN excluded_row USING (product, day, place)
), change AS (
  SELECT product, day AS first_day, row_number() OVER (PARTITION BY product ORDER BY day) + 1 AS series,
    lead(day) OVER (PARTITION BY product ORDER BY day) AS next_day
  FROM step WHERE currency <> currency_before
)
FROM change;

CREATE TEMP TABLE marked AS
WITH numbered AS (
  SELECT unmarked.*, coalesce(series, 1)::INTEGER AS series, excluded
  FROM unmarked
  LEFT JOIN excluded_row USING (product, day, place)
  LEFT JOIN series ON series.product = unmarked.product AND day >= first_day AND day < coalesce(series.next_day, 'infinity')
)
SELECT *, CASE WHEN excluded IS NULL THEN lead(day) OVER (PARTITION BY product, excluded IS NULL ORDER BY day) END AS next_day,
  selling_price IS DISTINCT FROM lag(selling_price) OVER (PARTITION BY product, excluded IS NULL, series ORDER BY day)
    AS is_new_price
FROM numbered;
