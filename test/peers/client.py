"""A client written from the documents alone: spec 1 ("Realtime feed"), spec 2, spec 4 and docs/reference.

usage: client.py book ADDRESSES EXPECTED NAME | client.py orders ADDRESSES websocket|domainSocket
"""
import asyncio
import decimal
import json
import struct
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

import websockets

D = decimal.Decimal
passed = failed = 0


def check(name, found, wanted):
    global passed, failed
    if found == wanted:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}: found {found!r}, wanted {wanted!r}")


def get(url, key=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.loads(response.read(), parse_float=D)
    except urllib.error.HTTPError as error:
        return error.code, None


# The feed.

class Book:
    def __init__(self):
        self.sides = ({}, {})
        self.last = None
        self.gaps = 0
        self.counts = {}

    def line(self, message):
        kind = message[0]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind not in (0, 1):
            return
        _, _, before, event, _, _, rows = message[:7]
        if kind == 0:
            self.sides = ({}, {})
        elif before != "0" and before != self.last:
            self.gaps += 1
        self.last = event
        for side, price, quantity, *_ in rows:
            # Exact: the texts are numbers, whatever their form.
            price, quantity = D(price), D(quantity)
            if quantity == 0:
                self.sides[side].pop(price, None)
            else:
                self.sides[side][price] = quantity

    def best(self):
        bids, asks = self.sides
        bid = max(bids) if bids else None
        ask = min(asks) if asks else None
        return (None if bid is None else (bid, bids[bid])), (None if ask is None else (ask, asks[ask]))


async def book(addresses, expected):
    feed = addresses["feeds"][0]
    key = addresses["keys"][0]
    status, info = get(f"{feed['info']}?all=true")
    check("info", status, 200)
    check("json endpoint", [e["endpoint"] for e in info["endpoints"] if e["encoding"].lower() == "json"], [urllib.parse.urlparse(feed["json"]).path])
    directory = f"{addresses['http']}/api/realtime/instruments?market={feed['market']}"
    status, listed = get(directory, key)
    check("directory", (status, listed["count"]), (200, 1))
    check("directory with a wrong key", get(directory, "nobody")[0], 404)
    instrument = listed["instruments"][0]["instrument_id"]
    try:
        async with websockets.connect(f"{feed['json']}?apiKey=nobody"):
            check("a wrong key", "connected", "refused")
    except websockets.exceptions.InvalidStatus as error:
        check("a wrong key", (error.response.status_code, error.response.body.decode()), (401, "api key rejected: unknown api key"))
    current, notices, states = Book(), [], []
    # A full book is a large message. A pong stands behind every line that was written before it: a busy machine reads it later than the package waits.
    async with websockets.connect(f"{feed['json']}?apiKey={key}", max_size=None, compression=None, ping_interval=None) as socket:
        await socket.send(json.dumps([13, "peer", "client.py", "1", "python"]))
        answer = json.loads(await socket.recv())
        check("login response", answer[0], 14)
        check("capabilities", answer[4], info["capabilities"])
        await socket.send(json.dumps([11, instrument]))
        try:
            async for text in socket:
                if not text.startswith("["):
                    notices.append(text)
                    continue
                message = json.loads(text)
                if message[0] == 5:
                    states.append(message[3:])
                else:
                    check_id = message[1]
                    if check_id != instrument:
                        check("instrument", check_id, instrument)
                    current.line(message)
        except websockets.exceptions.ConnectionClosed:
            pass
    check("first state", states[0], ["READY", ""])
    check("notices", notices, ["service shutdown"])
    check("gaps", current.gaps, expected["book_chain_gaps"])
    wanted = {int(kind): count for kind, count in expected["counts"].items() if kind not in ("5", "17")}
    check("events by type", current.counts, wanted)
    # Recorded state lines come behind the own READY.
    check("states", len(states), 1 + expected["counts"].get("5", 0))
    bid, ask = current.best()
    number = lambda level: None if level is None else tuple(D(str(value)) for value in level)
    check("best bid", bid, number(expected["final_best_bid"]))
    check("best ask", ask, number(expected["final_best_ask"]))


# Order entry.

class WebSocket:
    async def open(self, info, host, port):
        self.socket = await websockets.connect(f"ws://{host}:{port}{info['endpoints'][0]['endpoint']}")

    async def send(self, text):
        await self.socket.send(text)

    async def receive(self):
        return await self.socket.recv()

    async def close(self):
        await self.socket.close()


class DomainSocket:
    """Each message behind a big-endian uint32: its length, the top bit set for text."""

    async def open(self, info, _host, _port):
        self.reader, self.writer = await asyncio.open_unix_connection(info["domain_socket"]["path"])

    async def send(self, text):
        data = text.encode()
        self.writer.write(struct.pack(">I", len(data) | 0x80000000) + data)
        await self.writer.drain()

    async def receive(self):
        (length,) = struct.unpack(">I", await self.reader.readexactly(4))
        assert length & 0x80000000
        return (await self.reader.readexactly(length & 0x7FFFFFFF)).decode()

    async def close(self):
        self.writer.close()


class Session:
    def __init__(self, transport, account):
        self.transport, self.account, self.waiting = transport, account, []

    async def send(self, kind, **fields):
        await self.transport.send(json.dumps({"msgType": kind, "accountId": self.account, **fields}))

    async def next(self, kind, holds=lambda message: True):
        """The next message of a type; others wait for who asks for them."""
        for at, message in enumerate(self.waiting):
            if message["msgType"] == kind and holds(message):
                return self.waiting.pop(at)
        while True:
            message = json.loads(await asyncio.wait_for(self.transport.receive(), 30))
            if message["msgType"] == kind and holds(message):
                return message
            self.waiting.append(message)

    async def update(self, own, state):
        message = await self.next("orderUpdate", lambda m: any(o["ownOrderId"] == own and o["state"] == state for o in m["data"]))
        return next(o for o in message["data"] if o["ownOrderId"] == own)


async def touch(addresses, instrument):
    """A price far below the market, from a snapshot of the feed; the first subscription starts the replay."""
    feed = addresses["feeds"][0]
    async with websockets.connect(f"{feed['json']}?apiKey={addresses['keys'][0]}", max_size=None) as socket:
        await socket.send(json.dumps([13, "peer", "client.py", "1", "python"]))
        await socket.send(json.dumps([11, instrument, {"depthTopic": True, "tradesTopic": False, "topOfBookTopic": False}]))
        current = Book()
        while not current.sides[0]:
            text = await asyncio.wait_for(socket.recv(), 30)
            message = json.loads(text)
            if message[0] in (0, 1):
                current.line(message)
        return current.best()[0][0]


async def orders(addresses, transport):
    account, key = addresses["accounts"][0], addresses["keys"][0]
    market = addresses["feeds"][0]["market"]
    _, listed = get(f"{addresses['http']}/api/realtime/instruments?market={market}", key)
    row = listed["instruments"][0]
    instrument, tick = row["instrument_id"], D(row["ticksize"])
    size = str(D(row["lot_size"] or "1").normalize() * 10)
    status, lookup = get(f"{addresses['http']}/api/accounts/{account}/tradingservers")
    check("lookup", (status, lookup["count"]), (200, 1))
    check("lookup of a stranger", get(f"{addresses['http']}/api/accounts/nobody/tradingservers")[0], 404)
    host, port = lookup["data"][0]["host"], lookup["data"][0]["port"]
    _, info = get(f"http://{host}:{port}/api/info")
    bid = await touch(addresses, instrument)
    price = ((bid * D("0.95")) // tick) * tick
    await transport.open(info, host, port)
    session = Session(transport, account)
    welcome = await session.next("welcome")
    check("protocol version", welcome["protocolVersion"].split(".")[0], "2")
    await session.send("cancelAll", requestId=str(uuid.uuid4()), createTimestampNs=0)
    check("before the login", "not logged in" in (await session.next("invalidRequest"))["message"], True)
    await session.send("login", requestId="r-1", processId="client.py", version="1", options={"useLegacyPositionEncoding": False})
    login = await session.next("loginResponse")
    check("login", (login["requestId"], login["result"]["status"]), ("r-1", "OK"))
    own, client, other = (str(uuid.uuid4()) for _ in range(3))

    def entry(**fields):
        return {"ownOrderId": own, "clientOrderId": client, "instrumentId": instrument, "type": "LIMIT", "side": "BID",
                "timeInForce": "GOOD_TILL_CANCEL", "price": str(price), "totalQuantity": size, "postOnly": True, **fields}

    await session.send("place", entries=[entry(price=float(price))])
    refused = (await session.next("placeResponse"))["entries"][0]
    check("a price that is a number", refused["error"]["type"], "INVALID_REQUEST")
    await session.send("place", entries=[entry()])
    placed = (await session.next("placeResponse"))["entries"][0]
    check("placed", (placed["ownOrderId"], "error" in placed), (own, False))
    confirmed = await session.update(own, "CONFIRMED")
    check("confirmed price", D(confirmed["price"]), price)
    check("confirmed quantity", D(confirmed["totalQuantity"]), D(size))
    await session.send("place", entries=[entry(clientOrderId=str(uuid.uuid4()))])
    twice = (await session.next("placeResponse"))["entries"][0]
    check("the same id again", twice["error"]["type"], "ORDER_ID_DUPLICATE")
    current = client
    if login["result"]["capabilities"]["amend"]:
        await session.send("amend", entries=[{"ownOrderId": own, "currentClientOrderId": client, "newClientOrderId": other, "price": str(price - tick)}])
        amended = (await session.next("amendResponse"))["entries"][0]
        check("amended", (amended["clientOrderId"], "error" in amended), (other, False))
        update = await session.next("orderUpdate", lambda m: any(o["clientOrderId"] == other for o in m["data"]))
        check("amended price", D(update["data"][0]["price"]), price - tick)
        current = other
    await session.send("cancel", entries=[{"ownOrderId": own}])
    cancelled = (await session.next("cancelResponse"))["entries"][0]
    check("cancelled", (cancelled["ownOrderId"], "error" in cancelled), (own, False))
    over = await session.update(own, "CANCELED")
    check("cancelled order", (over["clientOrderId"], D(over["executedQuantity"])), (current, D(0)))
    taker = str(uuid.uuid4())
    await session.send("place", entries=[entry(ownOrderId=taker, clientOrderId=str(uuid.uuid4()), type="MARKET", price=None, postOnly=False, timeInForce="IMMEDIATE_OR_CANCEL")])
    await session.next("placeResponse")
    fill = (await session.next("fill"))["data"][0]
    check("fill", (fill["ownOrderId"], fill["addedLiquidity"], fill["update"]), (taker, False, False))
    await session.update(taker, "FILLED")
    await session.send("logout", requestId="r-2")
    await transport.close()


async def main():
    mode, addresses, *rest = sys.argv[1:]
    addresses = json.loads(addresses)
    if mode == "book":
        with open(rest[0]) as file:
            await book(addresses, json.load(file)[rest[1]])
    else:
        await orders(addresses, WebSocket() if rest[0] == "websocket" else DomainSocket())
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
