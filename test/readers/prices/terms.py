"""The terms of the price questions, in pandas and exact numbers: observation, suspect row, series, known on, usual rows, outage,
why a product is gone, reference price. Prices are integers of millionths; days are numbers (`date.toordinal`)."""
import json
from bisect import bisect_right
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import pandas

MILLION = 10**6
PRODUCT = ["retailer", "sku"]
NUMBERS = ["mrp", "selling_price", "discount_pct"]


def day_number(text):
    return date.fromisoformat(text).toordinal()


def day_text(number):
    return None if number is None else date.fromordinal(int(number)).isoformat()


def rounded(fraction):
    """In millionths, halves away from zero."""
    millionths = abs(fraction) * MILLION
    whole = (2 * millionths.numerator + millionths.denominator) // (2 * millionths.denominator)
    return whole if fraction >= 0 else -whole


def percent(now, before):
    """Change from `before` to `now` in percent, in millionths; None where there is nothing to divide by."""
    return None if before == 0 else rounded(Fraction(100 * (now - before), before))


def quantile(values, share):
    """Linear, as a fraction."""
    ordered = sorted(values)
    place = Fraction(share) * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@lru_cache
def read_rows(path):
    """Rows in the order of the file: the places that decide between equal prices."""
    with open(path, encoding="utf8") as lines:
        rows = pandas.DataFrame(json.loads(line, parse_float=Decimal) for line in lines)
    for name in NUMBERS:
        exact = [Decimal(value) * MILLION for value in rows[name]]
        if any(value != int(value) for value in exact):
            raise SystemExit(f"{name} has more than six decimals")
        rows[name] = [int(value) for value in exact]
    rows["day"] = [day_number(text) for text in rows["crawl_date"]]
    rows["place"] = range(len(rows))
    return rows.sort_values([*PRODUCT, "day", "place"], kind="stable").reset_index(drop=True)


def suspects(rows, factor):
    """Whether each row is suspect: by its price alone, or by the rows of its product and currency around it."""
    suspect = rows["selling_price"] <= 0
    priced = rows[~suspect]
    extremes = priced.groupby([*PRODUCT, "currency"])["selling_price"].agg(["count", "min", "max"])
    odd = extremes[(extremes["count"] >= 3) & (extremes["max"] >= extremes["min"] * float(factor) * 0.999)].index
    keys = priced.set_index([*PRODUCT, "currency"]).index
    found = []
    for _, group in priced[keys.isin(odd)].groupby([*PRODUCT, "currency"]):
        prices = group["selling_price"].tolist()
        for at, (index, price) in enumerate(zip(group.index, prices)):
            middle = quantile(prices[max(0, at - 7) : at + 8], Fraction(1, 2))
            first = last = at
            while first > 0 and prices[first - 1] == price:
                first -= 1
            while last + 1 < len(prices) and prices[last + 1] == price:
                last += 1
            if last - first < 3 and (price * factor <= middle or price >= factor * middle):
                found.append(index)
    suspect.loc[found] = True
    return suspect


def currency_of_day(days_of, day, choices):
    """The one on most of the 28 days before; of equal ones the first by code. `days_of` has the days of each currency."""
    days = {code: sum(day - 28 <= at < day for at in days_of[code]) for code in choices}
    return min(choices, key=lambda code: (-days[code], code))


def observations(rows, wanted):
    """The price of each product and day, by day, with the number of its series. `wanted` says which rows the filters leave."""
    good = rows[~rows["suspect"]]
    chosen = good[wanted[good.index]]
    currencies = chosen.groupby([*PRODUCT, "day"])["currency"].nunique()
    several = set(currencies[currencies > 1].index)
    if several:
        products = {key[:2] for key in several}
        of_products = good[good.set_index(PRODUCT).index.isin(products)]
        days_of = {}
        for retailer, sku, currency, day in zip(*(of_products[name] for name in [*PRODUCT, "currency", "day"])):
            days_of.setdefault((retailer, sku), {}).setdefault(currency, set()).add(day)
        of_several = chosen[chosen.set_index([*PRODUCT, "day"]).index.isin(several)]
        wrong = []
        for (retailer, sku, day), group in of_several.groupby([*PRODUCT, "day"]):
            code = currency_of_day(days_of[retailer, sku], day, set(group["currency"]))
            wrong.extend(group.index[group["currency"] != code])
        chosen = chosen.drop(wrong)
    lowest = chosen.sort_values([*PRODUCT, "day", "selling_price", "place"], kind="stable").drop_duplicates([*PRODUCT, "day"]).copy()
    before = lowest.groupby(PRODUCT)["currency"].shift()
    lowest["series"] = (before != lowest["currency"]).cumsum()
    return lowest.reset_index(drop=True)


def known_on(observed, day, max_age):
    """The newest observation of each product up to a day, unless it is older than `max_age` days."""
    last = observed[observed["day"] <= day].drop_duplicates(PRODUCT, keep="last")
    return last if max_age is None else last[last["day"] >= day - max_age]


class Shops:
    """How many rows each retailer and category has a day; all rows count, whatever the filters."""

    def __init__(self, rows):
        counted = rows.groupby(["retailer", "day"]).size()
        self.of_retailer = {name: group.droplevel(0).to_dict() for name, group in counted.groupby(level=0)}
        names = ["retailer", "department", "category"]
        counted = rows.groupby([*names, "day"]).size()
        self.of_category = {name: group.droplevel([0, 1, 2]).to_dict() for name, group in counted.groupby(level=[0, 1, 2])}
        self.usual = lru_cache(None)(self._usual)
        self.share = lru_cache(None)(self._share)

    def _counts(self, key):
        return self.of_retailer[key] if isinstance(key, str) else self.of_category[key]

    def _usual(self, key, day):
        counts = self._counts(key)
        found = [counts[at] for at in range(day - 56, day) if at in counts]
        return None if len(found) < 5 else quantile(found, Fraction(3, 4))

    def _share(self, key, day):
        """Of a retailer (its name) or of one of its categories (retailer, department, category)."""
        usual = self.usual(key, day)
        if not isinstance(key, str) and (usual is None or usual < 5):
            return self.share(key[0], day)
        return None if usual is None else Fraction(self._counts(key).get(day, 0)) / usual

    def last_day(self, retailer, day):
        """The newest day up to `day` with rows of the retailer."""
        return max((at for at in self.of_retailer[retailer] if at <= day), default=None)

    def stale(self, retailer, day):
        last = self.last_day(retailer, day)
        return last is not None and day - last > 28

    def outage(self, retailer, day):
        share, last = self.share(retailer, day), self.last_day(retailer, day)
        if share is None or share >= Fraction(1, 2) or last is None or day - last > 28:
            return False
        return last == day or day - last > self.usual_pause(retailer, last)

    def usual_pause(self, retailer, last):
        """The most days without rows in a row that happened twice in the 56 days up to `last`."""
        days = [at for at in sorted(self.of_retailer[retailer]) if at <= last]
        runs = [after - before - 1 for before, after in zip(days, days[1:]) if before >= last - 56 and after - before > 1]
        return max((run for run in runs if runs.count(run) >= 2), default=0)

    def reason(self, key, seen, newest):
        """Why a product of this category that was last seen on the last of the days `seen` is not there."""
        days = range(seen[-1] + 1, newest + 1)
        shares = [share for share in (self.share(key, day) for day in days) if share is not None]
        good = sum(share >= Fraction(1, 2) for share in shares)
        pauses = [after - before for before, after in zip(seen, seen[1:])]
        longest = max(pauses[-5:], default=1)
        if good >= max(3, 2 * longest):
            return "gone"
        return "not_crawled" if good < longest and len(shares) > good else "unknown"


class History:
    """The observations of one product, as lists by day."""

    def __init__(self, days, prices, series):
        self.days, self.prices, self.series = days, prices, series

    def at(self, day):
        """Place of the newest observation up to a day, or -1."""
        return bisect_right(self.days, day) - 1

    def of_series(self, place):
        """Places of the observations of the same series up to this one."""
        return [at for at in range(place + 1) if self.series[at] == self.series[place]]

    def present_since(self, place):
        """Place of the first observation of the run with this price."""
        while place > 0 and self.series[place - 1] == self.series[place] and self.prices[place - 1] == self.prices[place]:
            place -= 1
        return place

    def reference(self, place):
        """reference_price, real_discount_pct and reference_days of the price at a place."""
        began = self.present_since(place)
        start = self.days[began]
        days, prices = self.days, self.prices
        before = [at for at in self.of_series(began) if at < began]
        covered = sum(any(day - 7 <= days[at] <= day for at in before) for day in range(start - 30, start))
        result = {"reference_price": None, "real_discount_pct": None, "reference_days": covered}
        if covered < 24 or not before:
            return result
        in_force = [prices[at] for at in before if days[at] >= start - 30]
        if all(days[at] != start - 30 for at in before):
            older = [at for at in before if start - 44 <= days[at] < start - 30]
            in_force += [prices[older[-1]]] if older else []
        lowest = min(in_force)
        return {**result, "reference_price": lowest, "real_discount_pct": None if lowest == 0 else -percent(prices[place], lowest)}


def histories(observed):
    """The observations of each product; `observed` is sorted by product and day."""
    columns = [observed[name].tolist() for name in ("day", "selling_price", "series")]
    places = {}
    for place, key in enumerate(zip(observed["retailer"], observed["sku"])):
        places.setdefault(key, []).append(place)
    return {key: History(*(column[found[0] : found[-1] + 1] for column in columns)) for key, found in places.items()}
