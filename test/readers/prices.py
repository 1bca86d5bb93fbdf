"""Compares what the tool wrote with pandas: changes.csv, movers.csv, diff.csv and report.txt, between two days."""
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
import pandas

folder, out, since, last = sys.argv[1:5]
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
    if row["discount_pct"] > 0:
        movers["discount"][key] = moved
told = {kind: {} for kind in movers}
for row in read("movers.csv").itertuples():
    told[row.kind][row.retailer, row.sku] = number(row.percent)
for kind in movers:
    assert told[kind] == movers[kind], (kind, len(told[kind]), len(movers[kind]), [(key, told[kind].get(key), movers[kind].get(key)) for key in set(told[kind]) | set(movers[kind]) if told[kind].get(key) != movers[kind].get(key)][:3])

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
discounts = now[now["discount_pct"] > 0]["discount_pct"]
share, mean = (Decimal(value).quantize(Decimal("0.1"), ROUND_HALF_UP) for value in (100 * len(discounts) / len(now), discounts.mean()))
assert f"Discounted products: {share} %, by {mean} % on average" in report, (share, mean)
print(f"{len(expected)} changes, {sum(map(len, movers.values()))} movers, {len(changed) + len(appeared)} differences and the report equal")
