"""The price questions about single products, and the report; each is a function from the data to rows with the columns of the tool."""
import csv
from datetime import date
from decimal import Decimal
from fractions import Fraction

from terms import MILLION, NUMBERS, PRODUCT, day_text, percent, quantile, rounded

AGE = 14


def money(value):
    return None if value is None or value != value else Fraction(int(value), MILLION)


def change(now, before, one_series):
    """difference and percent, null across a change of currency."""
    if not one_series:
        return {"difference": None, "percent": None}
    return {"difference": money(now - before), "percent": money(percent(now, before))}


def reference(data, row):
    history = data.histories[row.retailer, row.sku]
    found = history.reference(history.at(row.day))
    return {**found, "reference_price": money(found["reference_price"]), "real_discount_pct": money(found["real_discount_pct"])}


def by_product(frame):
    return {(row.retailer, row.sku): row for row in frame.itertuples()}


def movers(data):
    since = data.day(data.flags.since or "latest-7d")
    kinds = data.flags.only.split(",") if data.flags.only else ["drop", "rise", "new_low", "discount"]
    age = data.max_age(AGE)
    then = by_product(data.known(since, age))
    for key, now in by_product(data.known(data.newest, age)).items():
        if now.day <= since:
            continue
        before = then.get(key)
        one_series = before is not None and before.series == now.series
        moved = change(now.selling_price, before.selling_price if before else None, one_series)
        base = {
            "retailer": now.retailer, "sku": now.sku, "title": now.title, "department": now.department, "category": now.category,
            "currency": now.currency, "before_date": day_text(before.day) if before else None,
            "before_selling_price": money(before.selling_price) if before else None, "date": day_text(now.day),
            "selling_price": money(now.selling_price), **moved, "mrp": money(now.mrp), "discount_pct": money(now.discount_pct),
            "brand": now.brand, "url": now.url, **reference(data, now), **lows(data, key, since), "target": now.selling_price,
        }
        reached = {name: base.pop(name) for name in ("new_low_price", "reached_date", "below_low_percent")}
        none = dict.fromkeys(reached)
        if one_series and now.selling_price < before.selling_price:
            yield from [{"kind": "drop", **base, **none}] if "drop" in kinds else []
        if one_series and now.selling_price > before.selling_price:
            yield from [{"kind": "rise", **base, **none}] if "rise" in kinds else []
        if reached["reached_date"] and "new_low" in kinds:
            yield {"kind": "new_low", **base, **reached}
        if now.discount_pct > 0 and "discount" in kinds:
            yield {"kind": "discount", **base, **none}


def lows(data, key, since):
    """The lowest price of the series up to `since`, the one after it if that is lower, and how well the series was observed."""
    history = data.histories[key]
    places = history.of_series(history.at(data.newest))
    days = [history.days[at] for at in places]
    low, low_day = min(((history.prices[at], -history.days[at]) for at in places if history.days[at] <= since), default=(None, None))
    reached, day = min((history.prices[at], history.days[at]) for at in places if history.days[at] > since)
    is_lower = low is not None and reached < low
    return {
        "low_date": None if low is None else day_text(-low_day), "low_selling_price": money(low),
        "new_low_price": money(reached) if is_lower else None, "reached_date": day_text(day) if is_lower else None,
        "below_low_percent": money(percent(reached, low)) if is_lower else None, "observed_days": len(days),
        "longest_gap_days": max((after - before for before, after in zip(days, days[1:])), default=None),
    }


def diff(data):
    later = data.day(data.flags.to or "latest")
    earlier = data.day(data.flags.since or data.flags.__dict__["from"] or "latest-7d")
    if data.flags.strict_days:
        before, after = (data.observed[data.observed["day"] == day] for day in (earlier, later))
    else:
        before, after = (data.known(day, data.max_age(AGE)) for day in (earlier, later))
    before, after = by_product(before), by_product(after)
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if old and new:
            kind = "changed" if any(getattr(old, name) != getattr(new, name) for name in [*NUMBERS, "currency"]) else None
        elif new:
            kind = "appeared" if data.flags.strict_days or data.seen[key][0] > earlier else "returned"
        else:
            kind = "vanished"
        if kind is None or (data.flags.only and kind not in data.flags.only.split(",")):
            continue
        last = new or old
        row = {"change": kind, **{name: getattr(last, name) for name in [*PRODUCT, "department", "category", "title"]}}
        row.update({"from_date": day_text(earlier), "to_date": day_text(later)})
        for name in NUMBERS:
            row[f"from_{name}"], row[f"to_{name}"] = (money(getattr(one, name)) if one else None for one in (old, new))
        row["from_currency"], row["to_currency"] = (one.currency if one else None for one in (old, new))
        one_series = bool(old and new and old.series == new.series)
        row.update(change(new.selling_price if new else None, old.selling_price if old else None, one_series))
        if not data.flags.strict_days:
            row["from_seen"], row["to_seen"] = (day_text(one.day) if one else None for one in (old, new))
            row["reason"] = data.reason(key, later) if kind == "vanished" else None
        yield {**row, "target": new.selling_price if new else None}


def latest(data):
    if data.flags.by:
        yield from over_time(data)
        return
    if data.flags.group_by:
        yield from discounts(data, data.known(data.newest, data.max_age(AGE)), data.flags.group_by)
        return
    first = data.day(data.flags.start_date or data.flags.date) if data.flags.start_date or data.flags.date else 0
    known = data.known(data.newest, None if data.flags.gone else data.max_age(None))
    for row in known[known["day"] >= first].itertuples():
        if data.flags.gone and row.day >= data.newest - data.max_age(AGE):
            continue
        yield {
            **{name: getattr(row, name) for name in ["retailer", "sku", "title", "brand", "department", "category", "currency"]},
            **{name: money(getattr(row, name)) for name in ["selling_price", "mrp", "discount_pct"]},
            "crawl_date": day_text(row.day), "days_old": (data.newest if data.end_given else data.today) - row.day, "url": row.url,
            **reference(data, row), "target": row.selling_price,
            **({"reason": data.reason((row.retailer, row.sku), data.newest)} if data.flags.gone else {}),
        }


def discount_figures(group):
    discounts = [value for value in group["discount_pct"].tolist() if value > 0]
    return {
        "products": len(group), "discounted_products": len(discounts),
        "discounted_percent": money(rounded(Fraction(100 * len(discounts), len(group)))),
        "mean_discount_pct": money(rounded(Fraction(sum(discounts), len(discounts) * MILLION))) if discounts else None,
    }


def group_key(data, by):
    return "brand_key" if by == "brand" else by


def shown_group(data, by, name):
    return data.brands[name] if by == "brand" else name


def discounts(data, known, by):
    for name, group in known.groupby(group_key(data, by)):
        yield {by: shown_group(data, by, name), **discount_figures(group)}


def first_of_period(day, by):
    at = date.fromordinal(day)
    return day if by == "day" else day - at.weekday() if by == "week" else day - at.day + 1


def over_time(data):
    by, group_by = data.flags.by, data.flags.group_by
    start = data.day(data.flags.start_date) if data.flags.start_date else 0
    last_days = {first_of_period(day, by): day for day in range(int(data.observed["day"].min()), data.newest + 1)}
    for period, last in last_days.items():
        if last < start:
            continue
        known = data.known(last, data.max_age(AGE))
        for names, group in known.groupby([group_key(data, group_by), "currency"] if group_by else "currency"):
            *name, currency = names if group_by else [names]
            prices = group["selling_price"].tolist()
            at = lambda share: money(rounded(quantile(prices, share) / MILLION))
            yield {
                **({group_by: shown_group(data, group_by, name[0])} if group_by else {}), "currency": currency, "period": day_text(period),
                **discount_figures(group), "price_min": at(0), "price_p25": at(Fraction(1, 4)), "price_median": at(Fraction(1, 2)),
                "price_p75": at(Fraction(3, 4)), "price_max": at(1),
            }


def coverage(data):
    """--group-by retailer,day"""
    start = data.day(data.flags.start_date) if data.flags.start_date else 0
    shops = data.shops
    retailers = {value for text in data.flags.retailer for value in text.split(",")}
    for retailer in shops.of_retailer:
        if retailers and retailer not in retailers:
            continue
        counts = shops.of_retailer[retailer]
        for day in range(max(start, min(counts)), data.newest + 1):
            if day - shops.last_day(retailer, day) <= 28:
                yield retailer_day(data, retailer, day)


def retailer_day(data, retailer, day):
    shops = data.shops
    usual, share = shops.usual(retailer, day), shops.share(retailer, day)
    return {
        "retailer": retailer, "crawl_date": day_text(day), "matching_rows": data.matching.get((retailer, day), 0),
        "usual_rows": None if usual is None else Fraction(usual), "share": None if share is None else money(rounded(share)),
        "outage": shops.outage(retailer, day),
    }


def history(data):
    """Each observation of the products in the period, compared with the one before it, which may be earlier; and their suspect rows."""
    start = data.day(data.flags.start_date or data.flags.date) if data.flags.start_date or data.flags.date else 0
    wanted = set(data.flags.sku)
    if data.flags.products:
        with open(data.flags.products, encoding="utf8", newline="") as file:
            wanted |= {(line["retailer"], line["sku"]) for line in csv.DictReader(file)}
    chosen = lambda frame: frame[[sku in wanted or (retailer, sku) in wanted for retailer, sku in zip(frame["retailer"], frame["sku"])]]
    observed = chosen(data.observed)
    wrong = data.rows[data.rows["suspect"] & data.wanted & (data.rows["day"] >= start)]
    lasts = by_product(data.known(data.newest, None))
    today = data.newest if data.end_given else data.today
    previous = {}
    for frame, suspect in ((observed, False), (chosen(wrong), True)):
        for row in frame.itertuples():
            key = (row.retailer, row.sku)
            before = None if suspect else previous.get(key)
            one_series = before is not None and before.series == row.series
            if not suspect:
                previous[key] = row
            if row.day < start:
                continue
            yield {
                **{name: getattr(lasts.get(key, row), name) for name in ["retailer", "sku", "title", "department", "category"]},
                "crawl_date": day_text(row.day),
                "currency": row.currency, **{name: money(getattr(row, name)) for name in ["mrp", "selling_price", "discount_pct"]},
                "percent": change(row.selling_price, before.selling_price, True)["percent"] if one_series else None,
                "days_old": today - lasts[key].day if key in lasts else None, "suspect": suspect, "target": None if suspect else row.selling_price,
            }


def why(data):
    """Each crawled row of one product up to the newest day, with what the other questions say of the product on that day."""
    [retailer], [sku] = data.flags.retailer, data.flags.sku
    of_product = lambda frame: frame[(frame["retailer"] == retailer) & (frame["sku"] == sku)]
    observed = of_product(data.observed)
    counted = set(observed["product_id"])
    figures = figures_of(data, (retailer, sku), list(observed.itertuples()))
    for row in of_product(data.rows).itertuples():
        yield {
            "retailer": retailer, "sku": sku, "title": row.title, "crawl_date": day_text(row.day), "product_id": row.product_id,
            "currency": row.currency, "mrp": money(row.mrp), "selling_price": money(row.selling_price),
            "discount_pct": money(row.discount_pct), "counted": row.product_id in counted, **figures,
            "rule": None if row.product_id in counted else "suspect" if row.suspect else rule_of(row, observed),
        }


def rule_of(row, observed):
    """Why a row that is not suspect is not the price of its day."""
    [currency] = observed[observed["day"] == row.day]["currency"]
    return "other currency" if row.currency != currency else "dearer"


def figures_of(data, key, observed):
    last = observed[-1]
    history = data.histories[key]
    place = history.at(last.day)
    low, low_day = min((history.prices[at], -history.days[at]) for at in history.of_series(place))
    week_before = data.newest - 7
    before = next((row for row in reversed(observed) if week_before - AGE <= row.day <= week_before and row.day < last.day), None)
    is_known = last.day >= data.newest - AGE
    return {
        "date": day_text(last.day), "known_price": money(last.selling_price), "is_known": is_known,
        "days_old": (data.newest if data.end_given else data.today) - last.day,
        "before_date": day_text(before.day) if before else None, "before_selling_price": money(before.selling_price) if before else None,
        **change(last.selling_price, before.selling_price if before else None, before is not None and before.series == last.series),
        "low_date": day_text(-low_day), "low_selling_price": money(low),
        "present_since": day_text(history.days[history.present_since(place)]), **reference(data, last),
        "reason": None if is_known else data.reason(key, data.newest),
    }


def report(data):
    """One row: the figures and the lists."""
    since, newest, shops = data.day(data.flags.since or "latest-7d"), data.newest, data.shops
    data.flags.since, data.flags.to, data.flags.only = day_text(since), None, None
    moved, changed = list(movers(data)), list(diff(data))
    known = data.known(newest, data.max_age(AGE))
    lasts = by_product(data.known(newest, None))
    wanted = sorted(set(data.rows.loc[data.wanted, "retailer"]))
    troubled = [name for name in wanted if shops.outage(name, newest)]
    stale = [name for name in wanted if shops.stale(name, newest)]
    wrong = data.rows[data.rows["suspect"] & data.wanted & (data.rows["day"] > since)]
    kinds = lambda name: [row for row in moved if row["kind"] == name]
    of_change = lambda name: [row for row in changed if row["change"] == name]
    reasons = lambda name: sum(row["reason"] == name for row in changed)
    percents = [row["percent"] for row in moved if row["kind"] in ("drop", "rise") and row["percent"] is not None]
    own = list(own_products(data, by_product(known)))

    def named(kind, row, day, currency):
        return {"id": f"{kind}:{row['retailer']}:{row['sku']}:{currency}:{day}", **{name: value for name, value in row.items() if name != "target"}}

    def present_since(row):
        history = data.histories[row["retailer"], row["sku"]]
        return day_text(history.days[history.present_since(history.at(newest))])

    def with_last(kind, row):
        last = lasts[row["retailer"], row["sku"]]
        price = {"currency": last.currency, "selling_price": money(last.selling_price), "discount_pct": money(last.discount_pct), "crawl_date": day_text(last.day), "url": last.url}
        return named(kind, {**row, **price}, present_since(row) if kind == "new" else price["crawl_date"], last.currency)

    def outage(name):
        day = next(day for day in range(newest, 0, -1) if not shops.outage(name, day)) + 1
        return {"id": f"outage:{name}:::{day_text(day)}", **retailer_day(data, name, newest), "outage_since": day_text(day)}

    def stale_row(name):
        last = shops.last_day(name, newest)
        return {"id": f"stale:{name}:::{day_text(last)}", "retailer": name, "newest_day": day_text(last), "days_old": age(last)}

    age = lambda day: (newest if data.end_given else data.today) - day
    discount = discount_figures(known)
    yield {
        "figures": {
            "drops": len(kinds("drop")), "rises": len(kinds("rise")), "new_lows": len(kinds("new_low")),
            "new": len(of_change("appeared")), "returned": len(of_change("returned")),
            "gone": reasons("gone"), "not_crawled": reasons("not_crawled"), "unknown": reasons("unknown"),
            "outages": len(troubled), "stale": len(stale), "suspects": len(wrong.drop_duplicates(PRODUCT)),
            "target_met": sum(bool(row["target_met"] and row["known"]) for row in own), "products": len(known),
            "biggest_drop": min((value for value in percents if value < 0), default=None),
            "biggest_rise": max((value for value in percents if value > 0), default=None),
            "days_old": max(age(shops.last_day(name, newest)) for name in wanted),
            "discounted_percent": discount["discounted_percent"], "mean_discount_pct": discount["mean_discount_pct"],
        },
        "outages": [outage(name) for name in troubled],
        "stale_retailers": [stale_row(name) for name in stale],
        "own_list": [named("own_list", row, present_since(row), row["currency"]) for row in own],
        "drops": [named("drop", row, present_since(row), row["currency"]) for row in kinds("drop")],
        "rises": [named("rise", row, present_since(row), row["currency"]) for row in kinds("rise")],
        "new_lows": [named("new_low", row, row["reached_date"], row["currency"]) for row in kinds("new_low")],
        "new_products": [with_last("new", row) for row in of_change("appeared")],
        "gone_products": [with_last("gone", row) for row in of_change("vanished")],
        "discounts_by_brand": [{"id": f"discount::{row['brand']}::{day_text(newest)}", **row} for row in discounts(data, known, "brand")],
    }


def own_products(data, known):
    """The products of the own list, whether their prices are known or not."""
    if data.listed is None:
        return
    data.flags.max_age = "none"
    for row in latest(data):
        line = data.line(row["retailer"], row["sku"])
        if line is not None:
            price = row.pop("target")
            target = Fraction(Decimal(line["target_price"])) if line.get("target_price") else None
            met = None if target is None else price <= target * MILLION
            yield {**row, "target_price": target, "target_met": met, "note": line.get("note") or None, "known": (row["retailer"], row["sku"]) in known}


def observed_rows(data):
    for row in data.observed.itertuples():
        yield {
            "retailer": row.retailer, "sku": row.sku, "crawl_date": day_text(row.day), "currency": row.currency, "series": row.series,
            "selling_price": money(row.selling_price), "product_id": row.product_id,
        }


def suspects(data):
    for row in data.rows[data.rows["suspect"]].itertuples():
        yield {
            "retailer": row.retailer, "sku": row.sku, "crawl_date": day_text(row.day), "currency": row.currency,
            "selling_price": money(row.selling_price), "product_id": row.product_id,
        }


def outages(data):
    """Retailers in outage or stale on the newest day."""
    for retailer in data.shops.of_retailer:
        row = {"retailer": retailer, "outage": data.shops.outage(retailer, data.newest), "stale": data.shops.stale(retailer, data.newest)}
        if row["outage"] or row["stale"]:
            yield {**row, "last_day": day_text(data.shops.last_day(retailer, data.newest))}


observations = observed_rows
