"""Compares what the tool wrote with pandas: latest.csv, group.csv of a column, index.csv of basket.csv."""
import sys
from decimal import Decimal
from fractions import Fraction
import pandas

folder, out, today, max_age, by = sys.argv[1:6]
max_age = int(max_age)

def read(name):
    return pandas.read_csv(f"{out}/{name}", dtype=str, keep_default_na=False)

def exact(number):
    return Fraction(Decimal(repr(float(number))))

def text(fraction):
    """Rounded half up to six decimals, as a CSV field has it."""
    if fraction is None:
        return ""
    micro = (fraction * 1000000 * 2 + 1) // 2
    digits = f"{micro // 1000000}.{micro % 1000000:06d}".rstrip("0").rstrip(".")
    return digits

rows = pandas.read_parquet(folder)
rows["crawl_date"] = pandas.to_datetime(rows["crawl_date"].astype(str))
rows["place"] = range(len(rows))
daily = rows.sort_values(["selling_price", "place"], kind="stable").drop_duplicates(["retailer", "sku", "crawl_date"])
latest = daily.sort_values("crawl_date", ascending=False, kind="stable").drop_duplicates(["retailer", "sku"])
latest = latest.assign(days_old=(pandas.Timestamp(today) - latest["crawl_date"]).dt.days)

def key(frame):
    return frame.sort_values(["retailer", "sku"], key=lambda c: c.map(lambda v: v.encode())).reset_index(drop=True)

told, want = read("latest.csv"), key(latest)
assert len(told) == len(want), (len(told), len(want))
for column in ["retailer", "sku", "title", "brand", "department", "category", "currency", "url"]:
    assert (told[column] == want[column].astype(str)).all(), column
for column in ["selling_price", "mrp", "discount_pct"]:
    assert (told[column].astype(float) == want[column]).all(), column
assert (told["crawl_date"] == want["crawl_date"].dt.strftime("%Y-%m-%d")).all()
assert (told["days_old"].astype(int) == want["days_old"]).all()

known = latest[latest["days_old"] <= max_age]
expected = {}
for name, group in known.groupby(by):
    discounts = [exact(d) for d in group["discount_pct"] if d > 0]
    mean = sum(discounts) / len(discounts) if discounts else None
    share = Fraction(100 * len(discounts), len(group))
    expected[name] = [str(len(group)), str(len(discounts)), text(share), text(mean)]
groups = read("group.csv")
told_groups = {row[0]: list(row[1:]) for row in groups.itertuples(index=False)}
assert told_groups == expected, [(k, told_groups.get(k), expected.get(k)) for k in set(told_groups) | set(expected) if told_groups.get(k) != expected.get(k)][:3]

basket = pandas.read_csv(f"{out}/basket.csv", dtype=str, keep_default_na=False)
index = read("index.csv")
base = index["base_date"].iloc[0]
items = []
for line in basket.to_dict("records"):
    sellers = [line["retailer"]] if line.get("retailer") else sorted(set(daily.loc[daily["sku"] == line["sku"], "retailer"]))
    items += [(retailer, line["sku"], Fraction(Decimal(line.get("quantity") or "1"))) for retailer in sellers]
prices = {}
for row in daily[daily["sku"].isin(set(basket["sku"]))].sort_values("crawl_date").itertuples():
    prices.setdefault((row.retailer, row.sku), []).append((row.crawl_date, exact(row.selling_price), row.currency))

def known_at(retailer, sku, day, age):
    found = None
    for at, price, currency in prices.get((retailer, sku), []):
        if at <= day:
            found = (at, price, currency)
    return None if found is None or (age is not None and (day - found[0]).days > age) else found

age = int(sys.argv[6]) if len(sys.argv) > 6 else None
base_day = pandas.Timestamp(base)
lines = []
for retailer in sorted({item[0] for item in items}):
    own = [(sku, quantity, known_at(retailer, sku, base_day, age)) for name, sku, quantity in items if name == retailer]
    for currency in sorted({at_base[2] for _, _, at_base in own if at_base}):
        for day in sorted(set(rows.loc[rows["retailer"] == retailer, "crawl_date"])):
            now = before = Fraction(0)
            priced = 0
            for sku, quantity, at_base in own:
                if at_base is None or at_base[2] != currency:
                    continue
                price = known_at(retailer, sku, day, age)
                if price is not None and price[2] == currency:
                    now, before, priced = now + quantity * price[1], before + quantity * at_base[1], priced + 1
            value = lambda f: "" if priced == 0 else text(f)
            lines.append([retailer, day.strftime("%Y-%m-%d"), currency, "" if priced == 0 or before == 0 else text(100 * now / before),
                          value(now), str(priced), str(len(own)), base, value(before)])
told_index = [list(row) for row in index.itertuples(index=False)]
wrong = [pair for pair in zip(told_index, lines) if pair[0] != pair[1]]
assert len(told_index) == len(lines) and not wrong, (len(told_index), len(lines), wrong[:3])
print(f"{len(told)} prices, {len(expected)} groups, {len(lines)} index rows equal")
