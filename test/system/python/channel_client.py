"""A client of the channels of a strategy server, written from the vendor's document alone: subscribes a channel, and says at the end of its standard input
what it has received of each origin, and whether that was in order. usage: channel_client.py ws://HOST:PORT/ws/v1 CHANNEL ORIGIN"""
import asyncio
import json
import sys

import websockets


async def main(url, channel, origin):
    last, faults = {}, []
    async with websockets.connect(url, max_size=None) as socket:
        await socket.send(json.dumps({'op': 'login', 'origin': origin}))
        answer = json.loads(await socket.recv())
        assert answer == {'op': 'login', 'origin': origin, 'result': 'succeed'}, answer
        await socket.send(json.dumps({'op': 'subscribe', 'channel': channel}))
        answer = json.loads(await socket.recv())
        assert answer == {'op': 'subscribe', 'channel': channel, 'result': 'succeed'}, answer
        print('ready', flush=True)

        async def receive():
            async for frame in socket:
                event = json.loads(frame)
                if sorted(event) != ['channel', 'message', 'op', 'origin'] or event['op'] != 'event' or event['channel'] != channel:
                    faults.append(f'python: an unknown frame: {frame[:200]}')
                    continue
                number, before = int(event['message']), last.get(event['origin'])
                if before is not None and number != before + 1:
                    faults.append(f"python: {event['origin']}: {number} behind {before}")
                last[event['origin']] = number

        receiving = asyncio.create_task(receive())
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        await asyncio.sleep(1)
        receiving.cancel()
        await asyncio.gather(receiving, return_exceptions=True)
        await socket.send(json.dumps({'op': 'unsubscribe', 'channel': channel}))
        answer = json.loads(await socket.recv())
        if answer != {'op': 'unsubscribe', 'channel': channel, 'result': 'succeed'}:
            faults.append(f'python: unsubscribe is answered {answer}')
    print(json.dumps({'last': last, 'faults': faults}), flush=True)


asyncio.run(main(*sys.argv[1:]))
