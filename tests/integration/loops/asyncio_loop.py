"""An event loop that is busy for a known time. Prints what was meant, and what it took, in milliseconds."""

import asyncio
import time


def busy(meant):
    begin = time.perf_counter()
    while time.perf_counter() < begin + meant / 1000:
        pass
    print(meant, (time.perf_counter() - begin) * 1000)


async def main():
    for _ in range(20):
        await asyncio.sleep(0.005)
    for meant in (1, 5, 20, 100):
        busy(meant)
        await asyncio.sleep(0.02)


asyncio.run(main())
