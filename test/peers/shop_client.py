"""A buyer written from spec 1 alone: finds, quotes, buys and fetches a day, a bundle day and a range of days.

usage: shop_client.py BASE_URL OUT     a line `PAY url` asks a person to pay; the last line is `N passed, M failed`
"""
import csv
import decimal
import gzip
import io
import json
import os
import sys
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zipfile

D = decimal.Decimal
BASE, OUT = sys.argv[1].rstrip("/"), sys.argv[2]
passed = failed = 0


def check(name, found, wanted=True):
    global passed, failed
    if found == wanted:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}: found {found!r}, wanted {wanted!r}", flush=True)


def ask(path, query=None, body=None, headers=None):
    """Status, headers and bytes of an answer; a rate limit is waited for."""
    url = BASE + path + ("" if not query else "?" + urllib.parse.urlencode(query))
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})} if data else (headers or {})
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, sent), timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            if error.code != 429:
                return error.code, error.headers, error.read()
            time.sleep(int(error.headers["Retry-After"]))


def get(path, query=None, wanted=200, **more):
    """The JSON of an answer of a wanted status."""
    status, _, text = ask(path, query, **more)
    check(f"status of {path} {query or ''}", status, wanted)
    return json.loads(text, parse_float=D)


def fields(place, found, **types):
    for field, kind in types.items():
        check(f"{place}.{field}", isinstance(found.get(field), kind))


def until(state, path, query):
    """Waits until an answer has a state, as long as it says that it is pending."""
    for _ in range(300):
        found = get(path, query, wanted=200)
        if found["state"] != "pending":
            break
        time.sleep(0.2)
    check(f"state of {path} {query}", found["state"], state)


def resumed(path, query):
    """The bytes of a file in two pieces, by Range, beside those of one answer."""
    status, headers, whole = ask(path, query)
    check(f"{path} is served", (status, headers["Content-Length"]), (200, str(len(whole))))
    cut = len(whole) // 3
    pieces = []
    for first, last in ((0, cut - 1), (cut, len(whole) - 1)):
        asked = f"bytes={first}-{'' if last == len(whole) - 1 else last}"
        status, headers, piece = ask(path, query, headers={"Range": asked})
        check("a piece", (status, headers["Content-Range"]), (206, f"bytes {first}-{last}/{len(whole)}"))
        pieces.append(piece)
    check(f"{path} in pieces", b"".join(pieces) == whole)
    return whole


def find():
    found = get("/api/search", {"q": "xrp perp", "limit": 5})
    fields("search", found, query=dict, filters=dict, total=int, results=list)
    hit = found["results"][0]
    fields("hit", hit, instrument_id=int, code=str, type=str, exchange=dict, state=str, data=dict)
    fields("exchange", hit["exchange"], code=str, name=str)
    fields("data", hit["data"], days=int, first_day=str, last_day=str, total_bytes=int)
    check("words of classes are understood", "interpretation" in found)
    check("nothing is found", (get("/api/search", {"q": "no-such-thing"})["total"]), 0)
    get("/api/search", {"q": "xrp", "class": "bond"}, wanted=400)
    place = f"/api/instrument/{hit['instrument_id']}"
    coverage = get(place + "/coverage")
    check("days with data", coverage["days_with_data"], hit["data"]["days"])
    fields("coverage", coverage, first_day=str, last_day=str, gaps=list, total_bytes=int)
    days, before = [], {}
    while True:
        page = get(place + "/days", {"limit": 1, **before})
        days += page["days"]
        if not page["next_cursor"]:
            break
        before = {"before": page["next_cursor"]}
    check("days, newest first", [one["date"] for one in days], sorted((one["date"] for one in days), reverse=True))
    check("bytes of all days", sum(one["size"] for one in days), coverage["total_bytes"])
    get(place + "/calendar", {"month": days[0]["date"][:7]})
    check("an unknown instrument", get("/api/instrument/1/coverage", wanted=404)["error"]["code"], "NOT_FOUND")
    minutes = ask(f"/api/analyze/instrument-last-24h-minutes/{hit['instrument_id']}", {"format": "csv"})[2].decode()
    source, *rows = minutes.splitlines()
    check("the source line", source.startswith("#"))
    check("columns", {len(row) for row in csv.reader(rows)}, {22})
    sample = get("/api/samples")["samples"][0]["href"]
    check("a sample", ask(urllib.parse.urlparse(sample).path)[2][:4], b"\x28\xb5\x2f\xfd")
    return hit, days


def bundle_days():
    found = get("/api/bundles")
    bundle = (found if isinstance(found, list) else found["bundles"])[0]
    fields("bundle", bundle, bundle_id=int, series_key=str, price_cents=int)
    path = f"/api/bundle/{urllib.parse.quote(bundle['series_key'], safe='')}/days"
    return bundle, sorted(one["date"] for one in get(path)["days"])


def buy(wanted, absent, cents):
    check("too many", ask("/api/quote", body={"items": wanted[:1] * 366})[0], 400)
    check("another key", ask("/api/quote", body={"items": [{**wanted[0], "price": 1}]})[0], 400)
    quote = get("/api/quote", body={"items": [*wanted, absent]})
    check("counts", (quote["items_requested"], quote["items_available"]), (len(wanted) + 1, len(wanted)))
    check("price", (quote["total_cents"], D(quote["total_eur"]) * 100, quote["currency"]), (cents, cents, "EUR"))
    check("missing", [(one["instrument_id"], one["date"]) for one in quote["missing"]],
          [(absent["instrument_id"], absent["date"])])
    check("how to buy", sorted(quote["checkout"]), ["body_example", "headers", "method", "then", "url"])
    body = {"email": "buyer@example.org", "items": quote["available"], "cancel_url": BASE + "/shop",
            "success_url": BASE + "/shop?session={CHECKOUT_SESSION_ID}"}

    def checkout(key, status, **other):
        headers = {"Idempotency-Key": key, "X-Service-Client": "http"}
        return get("/v1/checkout/session", wanted=status, body={**body, **other}, headers=headers)

    key = str(uuid.uuid4())
    foreign = checkout(str(uuid.uuid4()), 400, success_url="https://elsewhere.example/")
    check("a foreign address", foreign["error"]["code"], "INVALID_INPUT")
    gone = checkout(str(uuid.uuid4()), 422, items=[absent])["error"]
    check("a day that is not there", (gone["code"], len(gone["details"]["missing"])), ("FILE_NOT_AVAILABLE", 1))
    session = checkout(key, 201)
    check("the same key again", checkout(key, 201), session)
    fields("session", session, order_id=str, checkout_url=str, session_id=str)
    check("session", (session["currency"], session["item_count"], session["subtotal_cents"]), ("EUR", len(wanted), cents))
    place = f"/v1/checkout/session/{session['session_id']}"
    check("before the payment", get(place)["status"], "pending")
    print(f"PAY {session['checkout_url']}", flush=True)
    while (state := get(place))["status"] == "pending":
        time.sleep(10)
    check("after the payment", (state["status"], state["order_id"]), ("paid", session["order_id"]))
    check("an unknown session", ask("/v1/checkout/session/none")[0], 404)
    token = state["download_token"]
    order = get(f"/v1/orders/{state['order_id']}", headers={"Authorization": f"Bearer {token}"})
    check("order", (order["status"], order["total_cents"], order["item_count"]), ("paid", cents, len(wanted)))
    for item in order["items"]:
        fields("item", item, instrument_id=int, code=str, exchange_code=str, type=str, date=str, bytes=int, price_cents=int)
    for path in (f"/v1/orders/{state['order_id']}", "/v1/orders/none"):
        check("a wrong token", ask(path, headers={"Authorization": "Bearer none"})[0], 404)
    return order, token


def save(name, content):
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(content)


def fetch_day(order, item, token):
    path = f"/api/download/order/{order['order_id']}/{item['instrument_id']}/{item['date']}"
    t = {"t": token}
    check("its state", get(path, {**t, "status": 1})["state"], "ready")
    content = resumed(path, t)
    check("its bytes", len(content), item["bytes"])
    save(f"{item['exchange_code']}-{item['code']}-{item['date']}.txt.zst", content)
    status, headers, text = ask(path, {**t, "format": "trades.csv.gz"})
    check("an export begins", (status, json.loads(text)), (202, {"state": "pending", "reason": "converting"}))
    check("when to ask again", int(headers["Retry-After"]) > 0)
    until("ready", path, {**t, "format": "trades.csv.gz", "probe": 1})
    table = list(csv.reader(io.StringIO(gzip.decompress(resumed(path, {**t, "format": "trades.csv.gz"})).decode())))
    check("rows of trades", len(table) > 1)


def fetch_bundle(order, bundle, days, token):
    path = f"/api/download/order/{order['order_id']}/{bundle['bundle_id']}"
    query = {"t": token, "kind": "series_day"}
    counts = get(f"{path}/{days[0]}", {**query, "status": 1})
    check("counts", sorted(counts), ["cold", "pending", "ready"])
    until("ready", f"{path}/{days[0]}", {**query, "zip": 1, "probe": 1})
    names = [zipfile.ZipFile(io.BytesIO(resumed(f"{path}/{days[0]}", {**query, "zip": 1, "complete": 1})))]
    check("its sums", names[0].testzip(), None)
    members = get(f"{path}/{days[0]}", {**query, "manifest": 1})["members"]
    check("members of the zip", len(names[0].namelist()), len(members))
    span = {**query, "from": days[0], "to": days[-1]}
    whole = get(f"{path}/range", {**span, "manifest": 1})["members"]
    check("members of the days", len(whole) > len(members))
    with tarfile.open(fileobj=io.BytesIO(resumed(f"{path}/range", span))) as tar:
        inside = [tar.extractfile(one).read() for one in tar.getmembers() if one.isfile()]
    check("members of the tar", (len(inside), {one[:4] for one in inside}), (len(whole), {b"\x28\xb5\x2f\xfd"}))
    check("its counts", get(f"{path}/range", {**span, "status": 1})["ready"], len(whole))


def descriptions(hit, date):
    documents = [ask(path)[2] for path in ("/openapi.json", "/.well-known/openapi.json")]
    check("two places, one document", documents[0] == documents[1])
    check("its version", json.loads(documents[0])["openapi"][:3], "3.1")
    check("the map for agents", ask("/llms.txt")[0], 200)
    check("a buy link", ask("/shop", {"i": hit["instrument_id"], "d": f"{date}..{date}"})[0], 200)


hit, listed = find()
bundle, dates = bundle_days()
first = listed[-1]["date"]
tick = {"instrument_id": hit["instrument_id"], "date": first}
series = [{"instrument_id": bundle["bundle_id"], "date": date, "kind": "series_day"} for date in dates]
order, token = buy([tick, *series], {**tick, "date": "2001-01-01"}, 100 + len(dates) * bundle["price_cents"])
[bought] = [one for one in order["items"] if one["kind"] == "tick"]
fetch_day(order, bought, token)
fetch_bundle(order, bundle, dates, token)
descriptions(hit, first)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
