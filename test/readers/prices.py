"""Compares what the tool wrote with pandas: daily.parquet, changes.csv, movers.csv, brands.csv (the 2 biggest movers of each
brand), diff.csv and report.txt, between two days. `today` is the day of the report."""
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
import pandas

folder, out, since, last, today = sys.argv[1:6]
PRODUCT = ["retailer", "sku"]
PRICES = ["mrp", "selling_price", "discount_pct"]
MAX_AGE = pandas.Timedelta(days=14)
since, last = pandas.Timestamp(since), pandas.Timestamp(last)

def read(name):
    return pandas.read_csv(f"{out}/{name}", dtype=str, keep_default_na=False)

def number(text):
    return None if text == "" else float(text)

def percent(now, before):
    """Of the exact binary value, halves away from zero."""
    if before == 0:
        return None
    return float(Decimal((now - before) / before * 100).quantize(Decimal("0.01"), ROUND_HALF_UP))

rows = pandas.read_parquet(folder)
rows["crawl_date"] = pandas.to_datetime(rows["crawl_date"].astype(str))
rows["place"] = range(len(rows))
daily = rows.sort_values(["selling_price", "place"], kind="stable").drop_duplicates([*PRODUCT, "crawl_date"])
daily = daily.sort_values([*PRODUCT, "crawl_date"])

view = pandas.read_parquet(f"{out}/daily.parquet")
view["crawl_date"] = pandas.to_datetime(view["crawl_date"].astype(str))
assert set(daily.columns) - {"place"} == set(view.columns), view.columns
alike = lambda frame: frame[list(view.columns)].astype({name: str for name in view.columns if name not in PRICES}).sort_values([*PRODUCT, "crawl_date"]).reset_index(drop=True)
pandas.testing.assert_frame_equal(alike(view), alike(daily), check_dtype=False, check_exact=True)

before = daily.groupby(PRODUCT)[["crawl_date", "selling_price", "currency"]].shift()
steps = daily.assign(previous_date=before["crawl_date"], previous_price=before["selling_price"], previous_currency=before["currency"])
steps = steps[steps["previous_date"].notna() & (steps["crawl_date"] > since)]
steps = steps[(steps["selling_price"] != steps["previous_price"]) | (steps["currency"] != steps["previous_currency"])]
expected = {}
for row in steps.itertuples():
    same = row.currency == row.previous_currency
    change = float(Decimal(repr(row.selling_price)) - Decimal(repr(row.previous_price))) if same else None
    expected[row.retailer, row.sku, str(row.crawl_date.date())] = [
        str(row.previous_date.date()), row.previous_price, row.selling_price, change,
        percent(row.selling_price, row.previous_price) if same else None]
told = {(row.retailer, row.sku, row.crawl_date): [row.previous_date, number(row.previous_price), number(row.selling_price), number(row.change), number(row.percent)]
        for row in read("changes.csv").itertuples()}
assert told == expected, [(key, told.get(key), expected.get(key)) for key in set(told) | set(expected) if told.get(key) != expected.get(key)][:3]

def known(day):
    return daily[daily["crawl_date"] <= day].drop_duplicates(PRODUCT, keep="last").set_index(PRODUCT)

then, now = known(since), known(last)
movers = {"drop": {}, "rise": {}, "new_low": {}, "discount": {}}
lows, exact = {}, {}
newer = now[now["crawl_date"] > since]
earlier_of = {key: group for key, group in daily[daily.set_index(PRODUCT).index.isin(newer.index)].groupby(PRODUCT)}
for key, row in newer.iterrows():
    old = then.loc[key] if key in then.index else None
    moved = None if old is None or old["currency"] != row["currency"] else percent(row["selling_price"], old["selling_price"])
    if old is not None and old["currency"] == row["currency"] and row["selling_price"] != old["selling_price"]:
        movers["drop" if row["selling_price"] < old["selling_price"] else "rise"][key] = moved
    earlier = earlier_of[key]
    earlier = earlier[earlier["crawl_date"] < row["crawl_date"]].iloc[::-1]
    run = []
    for one in earlier.itertuples():
        if one.currency != row["currency"]:
            break
        run.append(one.selling_price)
    if run and row["selling_price"] < min(run):
        movers["new_low"][key] = moved
        lows[key] = min(run)
    if moved is not None:
        exact[key] = (row["selling_price"] - old["selling_price"]) / old["selling_price"]
    if row["discount_pct"] > 0:
        movers["discount"][key] = moved
told = {kind: {} for kind in movers}
for row in read("movers.csv").itertuples():
    told[row.kind][row.retailer, row.sku] = number(row.percent)
for kind in movers:
    assert told[kind] == movers[kind], (kind, len(told[kind]), len(movers[kind]), [(key, told[kind].get(key), movers[kind].get(key)) for key in set(told[kind]) | set(movers[kind]) if told[kind].get(key) != movers[kind].get(key)][:3])

for row in read("movers.csv").itertuples():
    key = (row.retailer, row.sku)
    was = then.loc[key] if key in then.index else None
    before_price = None if was is None else was["selling_price"]
    one = now.loc[key]
    values = [number(row.before_selling_price), number(row.selling_price), number(row.mrp), number(row.discount_pct), row.date, row.brand]
    assert values == [before_price, *one[["selling_price", "mrp", "discount_pct"]], str(one["crawl_date"].date()), one["brand"]], (key, values)
    assert row.kind != "new_low" or number(row.low_selling_price) == lows[key], (key, lows[key])

size = {
    "drop": lambda key: -exact[key], "rise": lambda key: exact[key],
    "new_low": lambda key: 1 - now.at[key, "selling_price"] / lows[key], "discount": lambda key: now.at[key, "discount_pct"],
}
biggest = {}
for kind, found in movers.items():
    for key in sorted(found, key=lambda key: (-size[kind](key), f"{key[0]}\0{key[1]}".encode("utf-16-be"))):
        biggest.setdefault((kind, now.at[key, "brand"] or "no brand"), []).append(key)
told = {}
for row in read("brands.csv").itertuples():
    told.setdefault((row.kind, row.brand or "no brand"), []).append((row.retailer, row.sku))
expected_groups = {group: keys[:2] for group, keys in biggest.items()}
assert told == expected_groups, [(group, told.get(group), expected_groups.get(group)) for group in set(told) | set(expected_groups) if told.get(group) != expected_groups.get(group)][:3]

pairs = then[PRICES + ["currency"]].join(now[PRICES + ["currency"]], lsuffix="_then", how="inner")
differs = [any(row[name] != row[f"{name}_then"] for name in [*PRICES, "currency"]) for _, row in pairs.iterrows()]
changed = {key: (row["selling_price_then"], row["selling_price"]) for key, row in pairs[differs].iterrows()}
appeared = set(now.index) - set(then.index)
diff = read("diff.csv")
told = {(row.retailer, row.sku): (number(row.from_selling_price), number(row.to_selling_price)) for row in diff[diff["change"] == "changed"].itertuples()}
# Of several rows of a product on one day all are compared.
several = rows[rows.duplicated([*PRODUCT, "crawl_date"], keep=False)].set_index(PRODUCT).index
single = lambda found: {key: value for key, value in found.items() if key not in several}
assert single(told) == single(changed), (len(told), len(changed))
told = {(row.retailer, row.sku) for row in diff[diff["change"] == "appeared"].itertuples()}
assert told == appeared, (len(told), len(appeared))

alive = lambda known, day: set(known[known["crawl_date"] >= day - MAX_AGE].index)
counts = {
    "Drops": len(movers["drop"]), "Rises": len(movers["rise"]), "New lows": len(movers["new_low"]),
    "New products": len(appeared), "Gone products": len(alive(then, since) - alive(now, last)),
}
report = open(f"{out}/report.txt", encoding="utf8").read()
for title, count in counts.items():
    found = re.search(rf"^{title}: (?:none|([\d,]+))", report, re.M)
    assert found and int((found[1] or "0").replace(",", "")) == count, (title, found and found[0], count)
def discount_of(known):
    """Share of the discounted products, and their mean discount, in percent with one decimal."""
    discounts = known[known["discount_pct"] > 0]["discount_pct"]
    return [str(Decimal(value).quantize(Decimal("0.1"), ROUND_HALF_UP)) for value in (100 * len(discounts) / len(known), discounts.mean())]
share, mean = discount_of(now)
assert f"Discounted products: {share} %, by {mean} % on average" in report, (share, mean)
by_brand = {brand or "no brand": group for brand, group in now.groupby("brand")}
order = lambda brand: (-sum(by_brand[brand]["discount_pct"] > 0), -len(by_brand[brand]), brand.encode("utf-16-be"))
brands = [re.sub(r" {2,}", "  ", line).split("  ") for line in report.partition("Discounted products:")[2].split("\n")[1:] if line]
shown = [[name, *re.findall(r"[\d,.]+", " ".join(rest))] for _, name, *rest in brands]
expected_brands = [[brand, discount_of(by_brand[brand])[0], f"{len(by_brand[brand]):,}", discount_of(by_brand[brand])[1]] for brand in sorted(by_brand, key=order)[:5]]
assert shown == expected_brands, (shown, expected_brands)
newest = rows.groupby("retailer")["crawl_date"].max()
stale = sum((pandas.Timestamp(today) - newest).dt.days > 2)
assert f"Stale retailers: {stale} of {len(newest)}" in report, (stale, report)
print(f"{len(expected)} changes of {len(daily)} prices, {sum(map(len, movers.values()))} movers, {len(changed) + len(appeared)} differences and the report equal")
