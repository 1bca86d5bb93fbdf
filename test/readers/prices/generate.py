"""Writes rows of a made-up crawl as NDJSON: everything that a real crawl does to prices, the same for the same arguments.

usage: generate.py [--last DAY] [--days 120] [--products 300] [--crawled SHARE] [--seed 1] [--no-future] > rows.ndjson

--last      newest day of the crawl that is not in the future
--products  products of each of the three big shops; four small shops have fewer
--crawled   share of the days on which a product is crawled; without it each product has its own

A year of about 1,000,000 rows:  --days 365 --products 1000
50,000 products:                 --days 365 --products 14600 --crawled 0.06
"""
import argparse
import functools
import hashlib
import json
import random
import sys
from datetime import date, timedelta

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--last", default="2026-11-24")
parser.add_argument("--days", type=int, default=120)
parser.add_argument("--products", type=int, default=300)
parser.add_argument("--crawled", type=float)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--no-future", action="store_true")
args = parser.parse_args()

LAST = date.fromisoformat(args.last)
DAYS = [LAST - timedelta(days=args.days - 1 - at) for at in range(args.days)]
END = args.days - 1

# name, currency, products, decimals, whether it crawls on a day (its number, the date)
SHOPS = [
    ("shop-a", "EUR", args.products, 2, lambda at, day: True),
    ("shop-b", "USD", args.products, 2, lambda at, day: day.weekday() < 5),
    ("shop-c", "JPY", args.products, 0, lambda at, day: at < END),  # one day behind
    ("shop-stale", "EUR", max(4, args.products // 8), 2, lambda at, day: at <= END - 45),
    ("shop-stopped", "KWD", max(4, args.products // 6), 3, lambda at, day: at <= END - 12),
    ("shop-thirds", "EUR", max(4, args.products // 8), 2, lambda at, day: at % 3 == 0),
    ("shop-new", "GBP", max(4, args.products // 10), 2, lambda at, day: at >= END - 3),
]
CATEGORIES = [("home", "lamps"), ("home", "chairs"), ("home", "rugs"), ("garden", "hoses"), ("garden", "lamps"), ("art", "prints")]
BRANDS = [["Acme", "ACME", "acme ", " Acme"], ["Bölt", "BÖLT", "bölt"], ["Corvo"], ["Ōkami", "ōkami"], [""], ["D&M", "d&m"]]


def rows_missing(shop, category, at, chance):
    """Share of the shop's rows that are lost on a day: its outages, of all of it, of a category, or of a part of a day."""
    back = END - at
    if shop == "shop-a":
        if back in (33, 34, 35, 60):
            return 1.0
        if back in (20, 7):
            return 0.97
        if category == "rugs" and back in (0, 1, 2, 3, 4, 5, 41, 42, 43):
            return 1.0
        if category == "hoses" and back in (9, 10, 50):
            return 0.8
    if shop == "shop-b":
        if 24 <= back <= 29:
            return 1.0
        if back in (1, 11):
            return 0.45
    if shop == "shop-c" and back in (15, 16, 17, 90):
        return 1.0
    return 0.25 if chance < 0.03 else 0.0


def sku_of(shop, number, draw):
    if number % 40 == 1:
        return f"000{number}"
    if number % 40 == 2:
        return draw.choice(["AB c/", "x\"y'", "=1+", "ü,;", "2026-01-", "😀 ", "Ab-", "<b>", "a\\"]) + str(number)
    if number % 40 == 3:
        return f"SAME{number}"  # in each shop
    if number % 40 == 4:
        return f"case{number - 1}"
    if number % 40 == 5:
        return f"CASE{number - 2}"  # another product than the one before by letter case alone
    return f"{shop[5:7].upper()}-{number:05d}"


def prices_of(draw, base, decimals):
    """A price for each day: runs, promotions that end, slow drifts; some prices never change."""
    kind = draw.random()
    prices, now, promotion, left = [], base, 1.0, 0
    rate = 0 if kind < 0.1 else 0.01 if kind < 0.3 else 0.05 if kind < 0.8 else 0.3
    for _ in range(args.days):
        if left == 0:
            promotion = 1.0
            if draw.random() < rate:
                if draw.random() < 0.5:
                    promotion, left = draw.choice([0.9, 0.8, 0.75, 0.6, 0.5]), draw.choice([1, 2, 3, 5, 8, 14, 29, 45])
                else:
                    now = max(base / 3, now * draw.choice([0.9, 0.95, 0.99, 1.01, 1.05, 1.1]))
        else:
            left -= 1
        prices.append(round(now * promotion, decimals))
    return prices


def days_of(draw, number):
    """The numbers of the days on which the product is in the shop and was crawled."""
    end = END
    share = args.crawled or draw.choice([1, 1, 1, 0.97, 0.97, 0.9, 0.7, 0.3, 0.1])
    first = 0 if draw.random() < 0.8 else draw.randint(0, end)
    last = end if draw.random() < 0.85 else draw.randint(0, end)
    if number % 25 == 6:
        first = end - draw.randint(0, 9)
    if number % 25 == 7:
        last = end - draw.randint(1, 45)
    days = {at for at in range(first, last + 1) if draw.random() < share}
    for _ in range(draw.choice([0, 0, 0, 1, 1, 2]) if number % 3 == 0 else 0):
        begin = draw.randint(0, end)
        pause = draw.choice([3, 6, 10, 14, 15, 20, 40])
        days -= set(range(begin, begin + pause))
    if number % 25 == 8:
        days.discard(end)
    if number % 25 == 9:
        days.discard(end - 7)
    if number % 25 == 10:  # away for longer than a price is known, and just back
        days -= set(range(end - 25, end - draw.randint(0, 6)))
        days.add(end)
    return sorted(days)


def spoil(draw, number, prices, days):
    """Wrong prices: zero, negative, a cent, a hundredfold, exactly ten times and a tenth, and runs that are long enough to be right."""
    if not days:
        return
    some = lambda: draw.choice(days)
    kind = number % 50
    if kind == 11:
        prices[some()] = 0
    elif kind == 12:
        prices[some()] = -prices[days[0]]
    elif kind == 13:
        prices[some()] = 0.01
    elif kind == 14:
        at = some()
        prices[at] = prices[at] * 100
    elif kind in (15, 16):  # beside a price that does not change, exactly the factor
        for at in days:
            prices[at] = 40
        prices[some()] = 400 if kind == 15 else 4
    elif kind == 17:  # just inside of the factor
        for at in days:
            prices[at] = 40
        prices[some()] = 399
    elif kind in (18, 19):  # three in a row are suspect, four are not
        begin = draw.randrange(len(days))
        for at in days[begin : begin + kind - 15]:
            prices[at] = 2
        for at in days[:begin] + days[begin + kind - 15 :]:
            prices[at] = 500
    elif kind == 20:
        prices[days[-1]] = 0.01
    elif kind == 21:
        prices[days[-1]] = prices[days[-1]] * 100
    elif kind == 22:
        prices[days[0]] = 0.01
    elif kind == 23:  # nothing but suspects at the end
        for at in days[-3:]:
            prices[at] = 0
    elif kind == 24:  # up by ten for good: the first three days look wrong, until there are four
        for at in days[-5:]:
            prices[at] = prices[at] * 12


def currencies_of(draw, number, currency, days):
    """The currencies of each day; the first rows of some days are in two."""
    changed = {at: [currency] for at in days}
    other = "CHF" if currency != "JPY" else "KRW"
    kind = number % 50
    if not days or kind not in (26, 27, 28, 29, 30, 31):
        return changed
    at = draw.choice(days[len(days) // 3 :])
    if kind == 26:
        changed.update({day: [other] for day in days if day >= at})
    elif kind == 27:  # and back
        back = at + draw.choice([1, 4, 8, 20])
        changed.update({day: [other] for day in days if at <= day < back})
    elif kind == 28:  # two on one day
        changed[at] = [currency, other]
    elif kind == 29:  # both, from a day on
        changed.update({day: [other, currency] for day in days if day >= at})
    elif kind == 30:  # in the last week
        changed.update({day: [other] for day in days if day >= END - draw.randint(0, 8)})
    elif kind == 31:
        changed.update({day: [other] if day % 2 else [currency] for day in days})
    return changed


written = 0


def write(row):
    global written
    written += 1
    text = json.dumps({**row, "nth": written}, sort_keys=True)
    sys.stdout.write(json.dumps({"product_id": hashlib.md5(text.encode()).hexdigest(), **row}, ensure_ascii=False) + "\n")


def number(value):
    """12.0 as 12, and never more digits than a shop would print."""
    value = round(value, 4)
    return int(value) if value == int(value) else value


def write_product(shop, currency, decimals, crawls, nth):
    draw = random.Random(f"{args.seed} {shop} {nth}")
    department, category = ("home", "tiny") if nth % 100 < 3 else CATEGORIES[draw.randrange(len(CATEGORIES))]
    spellings = BRANDS[draw.randrange(len(BRANDS))]
    base = draw.choice([3.99, 12.5, 19.99, 49, 120, 799.95]) * draw.uniform(0.8, 1.4) * (150 if decimals == 0 else 1)
    prices = prices_of(draw, round(base, decimals), decimals)
    days = days_of(draw, nth)
    spoil(draw, nth, prices, days)
    currencies = currencies_of(draw, nth, currency, days)
    shared = nth % 4 == 0
    model = f"MX {nth}" if shared else "" if nth % 4 == 1 else f"{shop}/{nth}"
    title = f"Lamp no. {nth}" if shared else f"{category.title()} {nth} of {shop}"
    sku = sku_of(shop, nth, draw)
    mrp = max(round(max(prices[0], base) * draw.choice([1, 1, 1.2, 1.5]), decimals), 0)
    for at in days:
        missing, keep, again = draw.random(), draw.random(), draw.random()
        folding, spelling, discount = draw.random(), draw.random(), draw.random()
        if not crawls(at, DAYS[at]) or keep < rows_missing(shop, category, at, hash_chance(shop, at)):
            continue
        shown = title if folding < 0.7 else title.upper() if folding < 0.85 else f" {title.replace(' ', '  ')} "
        row = {
            "sku": sku, "url": f"https://{shop}.example/p/{nth}", "domain": f"{shop}.example", "retailer": shop,
            "department": department, "category": category, "brand": spellings[int(spelling * spelling * len(spellings))],
            "model_number": model if folding < 0.8 else model.lower(), "title": shown, "mrp": number(mrp), "selling_price": 0,
            "discount_pct": 0, "currency": currency, "color": None if nth % 3 else "red",
            "image_url": f"https://{shop}.example/i/{nth}.jpg", "crawl_date": DAYS[at].isoformat(),
        }
        for unit in currencies[at]:
            price = prices[at] * (0.9 if unit != currency else 1)
            several = [price]
            if again < 0.03:
                several = [price * 1.25, price] if missing < 0.4 else [price, price * 1.25] if missing < 0.8 else [price, price]
            if again > 0.999:
                several = [price, price * 20]
            for place, one in enumerate(several):
                one = number(round(one, decimals) if abs(one) > 0.02 else one)
                percent = number(round((mrp - one) / mrp * 100, 2)) if 0 < one < mrp and discount < 0.97 else 0
                write({**row, "mrp": row["mrp"], "selling_price": one, "discount_pct": percent, "currency": unit,
                       "title": shown if place == 0 else f"{shown} (again)"})
    if nth % 60 == 33 and not args.no_future and days:
        ahead = (LAST + timedelta(days=400)).isoformat()
        write({**row_of_future(shop, sku, department, category, currency, nth), "crawl_date": ahead})


def row_of_future(shop, sku, department, category, currency, nth):
    return {
        "sku": sku, "url": f"https://{shop}.example/p/{nth}", "domain": f"{shop}.example", "retailer": shop, "department": department,
        "category": category, "brand": "Future", "model_number": "", "title": "Not yet", "mrp": 1, "selling_price": 1,
        "discount_pct": 0, "currency": currency, "color": None, "image_url": "",
    }


@functools.cache
def hash_chance(shop, at):
    return random.Random(f"{args.seed} {shop} day {at}").random()


for shop, currency, products, decimals, crawls in SHOPS:
    for nth in range(products):
        write_product(shop, currency, decimals, crawls, nth)
print(f"{written} rows", file=sys.stderr)
