"""The price questions that put products side by side: compare and index; each is a function from the data to rows."""
import csv
from decimal import Decimal
from fractions import Fraction

from questions import AGE, money
from terms import MILLION, day_text, percent, rounded


def compare(data):
    parts = (data.flags.by or "model_number").split(",")
    fold = lambda text: " ".join(text.split()).lower()
    known = data.known(data.newest, data.max_age(AGE))
    rates = read_rates(data.flags.rates) if data.flags.rates else None
    groups = {}
    for row in known.itertuples():
        key = tuple(fold(getattr(row, part)) for part in parts)
        price, currency = row.selling_price, row.currency
        if rates is not None and currency != data.flags.currency:
            if currency not in rates:
                continue
            price = rounded(Fraction(price, MILLION) * rates[currency])
        currency = data.flags.currency if rates is not None else currency
        if "" not in key:
            groups.setdefault((key, currency), {}).setdefault(row.retailer, []).append((price, row.sku.encode("utf-16-be"), row))
    compared = {key: {retailer: min(found, key=lambda one: one[:2]) for retailer, found in shops.items()} for key, shops in groups.items() if len(shops) > 1}
    columns = sorted({retailer for shops in compared.values() for retailer in shops})
    for (key, currency), shops in compared.items():
        cheapest = min(shops, key=lambda name: (shops[name][0], name.encode("utf-16-be")))
        low, high = shops[cheapest][0], max(found[0] for found in shops.values())
        yield {
            **{part: getattr(shops[cheapest][2], part) for part in parts}, "currency": currency, "retailers": len(shops),
            "cheapest_retailer": cheapest, "cheapest_price": money(low), "dearest_price": money(high), "spread_percent": money(percent(high, low)),
            **{f"price_{name}": money(shops[name][0]) if name in shops else None for name in columns},
        }


def read_rates(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return {line["currency"]: Fraction(Decimal(line["rate"])) for line in csv.DictReader(file)}


def index(data):
    """--basket FILE: sku, and retailer and quantity if there are any."""
    start = data.day(data.flags.start_date or data.flags.date) if data.flags.start_date or data.flags.date else 0
    age = data.max_age(AGE)
    with open(data.flags.basket, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    retailers_of = {}
    for retailer, sku in data.histories:
        retailers_of.setdefault(sku.lower(), []).append((retailer, sku))
    items, products = {}, {}
    for line in lines:
        if line.get("retailer"):
            products[line["retailer"]] = products.get(line["retailer"], 0) + 1
        for retailer, sku in retailers_of.get(line["sku"].lower(), []):
            if not line.get("retailer"):
                products[retailer] = products.get(retailer, 0) + 1
            if (line.get("retailer") or retailer) == retailer:
                items.setdefault(retailer, []).append((data.histories[retailer, sku], Fraction(Decimal(line.get("quantity") or "1")), sku))
    crawled = data.rows[data.wanted & (data.rows["day"] >= start)]
    days_of = {retailer: sorted(set(group["day"])) for retailer, group in crawled.groupby("retailer")}

    def price(history, day):
        at = history.at(day)
        return None if at < 0 or (age is not None and day - history.days[at] > age) else at

    listed = sorted({day for retailer in items for day in days_of.get(retailer, [])})
    priced = (day for day in listed if any(price(item[0], day) is not None for own in items.values() for item in own))
    base = data.day(data.flags.base) if data.flags.base else next(priced)
    currency_of = {(row.retailer, row.sku, row.series): row.currency for row in data.observed.itertuples()}
    for retailer, own in items.items():
        currencies = {}
        for history, quantity, sku in own:
            at = price(history, base)
            if at is not None:
                currency = currency_of[retailer, sku, history.series[at]]
                currencies.setdefault(currency, []).append((history, quantity, at))
        for currency, with_base in currencies.items():
            for day in days_of.get(retailer, []):
                now = before = Fraction(0)
                count = 0
                for history, quantity, at_base in with_base:
                    at = price(history, day)
                    if at is not None and history.series[at] == history.series[at_base]:
                        now, before, count = now + quantity * history.prices[at], before + quantity * history.prices[at_base], count + 1
                yield {
                    "retailer": retailer, "crawl_date": day_text(day), "currency": currency,
                    "index": money(rounded(100 * now / before)) if before else None,
                    "basket_value": money(rounded(now / MILLION)) if count else None, "products_priced": count,
                    "products": products[retailer], "base_date": day_text(base), "base_value": money(rounded(before / MILLION)) if count else None,
                }
