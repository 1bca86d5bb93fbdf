"""Answers a price question from crawled rows, to be compared with the tool: NDJSON on stdout, in no promised order.

usage: oracle.py QUESTION rows.ndjson --today DAY [flags as of the tool]
       oracle.py, which reads such arguments from stdin, a JSON list a line, and answers each with one line: a JSON list of rows

Questions: movers, diff, latest, coverage, compare, index (--basket FILE), history (--sku SKU, repeatable, or --products FILE), report,
why (--retailer R --sku SKU),
and the terms themselves: observations, suspects. The rows are in the order of the day files, since places decide between equal prices.
"""
import argparse
import csv
import json
import sys
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pandas

import across_products
import questions
from terms import MILLION, PRODUCT, Shops, day_number, histories, known_on, observations, read_rows, suspects


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question")
    parser.add_argument("rows")
    parser.add_argument("--today", default=date.today().isoformat())
    for name in ("since", "from", "to", "start-date", "end-date", "date", "base"):
        parser.add_argument(f"--{name}", help="YYYY-MM-DD, today, yesterday, Nd, latest or latest-Nd")
    for name in ("retailer", "category", "department", "rcd", "brand", "sku"):
        parser.add_argument(f"--{name}", action="append", default=[])
    for name in ("only", "group-by", "by", "max-age", "skus", "basket", "rates", "currency", "products"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--suspect-factor", default="10")
    for name in ("include-suspect", "strict-days", "gone"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args(words)


class Data:
    """The rows up to the newest day, the observations that the filters leave, and the flags with their days as numbers."""

    def __init__(self, flags):
        self.flags = flags
        rows = read_rows(flags.rows)
        self.today = day_number(flags.today)
        self.newest = int(rows.loc[rows["day"] <= self.today, "day"].max())
        self.end_given = flags.end_date or flags.date
        if self.end_given:
            self.newest = self.day(self.end_given)
        rows = rows[rows["day"] <= self.newest].copy()
        rows["brand_key"] = rows["brand"].str.strip().str.lower()
        rows["suspect"] = False if flags.include_suspect else suspects(rows, Fraction(Decimal(flags.suspect_factor)))
        self.rows = rows
        self.listed = read_list(flags.skus) if flags.skus else None
        self.wanted = self.filtered(rows)
        self.matching = rows[self.wanted].groupby(["retailer", "day"]).size().to_dict()
        self.observed = observations(rows, self.wanted)
        self.histories = histories(self.observed)
        self.shops = Shops(rows)
        self.brands = shown_brands(rows)
        seen = rows.drop_duplicates([*PRODUCT, "day"])
        self.seen, self.category_of = {}, {}
        for retailer, sku, day, department, category in zip(*(seen[name] for name in [*PRODUCT, "day", "department", "category"])):
            self.seen.setdefault((retailer, sku), []).append(day)
            self.category_of[retailer, sku, day] = (retailer, department, category)

    def day(self, text):
        if text in ("today", "yesterday"):
            return self.today - (text == "yesterday")
        base, _, back = text.rpartition("-") if text.startswith("latest-") else ("latest", "", "0d") if text == "latest" else ("", "", text)
        if not back.endswith("d"):
            return day_number(text)
        return (self.newest if base == "latest" else self.today) - int(back[:-1])

    def max_age(self, default):
        given = self.flags.max_age
        return default if given is None else None if given == "none" else int(given.rstrip("d"))

    def filtered(self, rows):
        wanted = pandas.Series(True, index=rows.index)
        for name in ("retailer", "category", "department"):
            values = {value for text in getattr(self.flags, name) for value in text.split(",")}
            if values:
                wanted &= rows[name].isin(values)
        triples = {tuple(value.split(":")) for text in self.flags.rcd for value in text.split(",")}
        if triples:
            wanted &= pandas.Series([key in triples for key in zip(rows["retailer"], rows["category"], rows["department"])], index=rows.index)
        if self.flags.brand:
            wanted &= rows["brand_key"].isin({name.strip().lower() for name in self.flags.brand})
        if self.listed is not None and self.flags.question not in ("report", "coverage"):
            wanted &= pandas.Series([self.line(retailer, sku) is not None for retailer, sku in zip(rows["retailer"], rows["sku"])], index=rows.index)
        return wanted

    def line(self, retailer, sku):
        """The line of the own list that means this product."""
        return self.listed.get((retailer, sku.lower()), self.listed.get(("", sku.lower())))

    def known(self, day, max_age):
        return known_on(self.observed, day, max_age)

    def reason(self, key, newest):
        seen = [day for day in self.seen[key] if day <= newest]
        return self.shops.reason(self.category_of[*key, seen[-1]], seen, newest)


def shown_brands(rows):
    """How each brand is shown: as spelt most often, then most recently, then the first by code units."""
    spelt = rows.groupby(["brand_key", "brand"])["day"].agg(["size", "max"]).reset_index()
    order = [(-size, -last, brand.encode("utf-16-be")) for size, last, brand in zip(spelt["size"], spelt["max"], spelt["brand"])]
    best = spelt.assign(order=order).sort_values("order").drop_duplicates("brand_key")
    return dict(zip(best["brand_key"], best["brand"]))


def read_list(path):
    lines = {}
    with open(path, encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            key = ((line.get("retailer") or ""), line["sku"].lower())
            if key in lines or any(sku == key[1] and "" in (key[0], retailer) for retailer, sku in lines):
                sys.exit(f"two lines mean {line['sku']}")
            lines[key] = line
    return lines


def main():
    if len(sys.argv) > 1:
        for row in answers(sys.argv[1:]):
            print(json.dumps(row, ensure_ascii=False))
    else:
        for line in sys.stdin:
            print(json.dumps(list(answers(json.loads(line))), ensure_ascii=False), flush=True)


def answers(words):
    data = Data(arguments(words))
    name = data.flags.question
    answer = getattr(across_products if name in ("compare", "index") else questions, name)
    for row in answer(data):
        if data.listed is not None and "target" in row:
            row.update(own_list(data, row))
        row.pop("target", None)
        yield {name: number(value) for name, value in row.items()}


def own_list(data, row):
    line = data.line(row["retailer"], row["sku"])
    text = (line or {}).get("target_price") or ""
    target, price = (int(Decimal(text) * MILLION) if text else None), row["target"]
    return {
        "target_price": None if target is None else Fraction(target, MILLION),
        "target_met": None if target is None or price is None else price <= target,
        "note": (line or {}).get("note") or None,
    }


def number(value):
    """Fractions, which stand for every number that is not a count, as JSON has them."""
    if isinstance(value, dict):
        return {name: number(one) for name, one in value.items()}
    if isinstance(value, list):
        return [number(one) for one in value]
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value)


if __name__ == "__main__":
    main()
