import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { emptyDatabase } from "../helpers/databases.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { addUnpublished } from "../service/store/stores.ts";
import { startStandby } from "./standby.ts";

test("walks are of one version while a standby lags, misses a publication, dies and comes back", async () => {
  const database = await emptyDatabase();
  const standby = await startStandby();
  const service = await startTestService({ database, replica: standby.locationOf(database), rows: products(8) });
  await standby.catchUp();
  const servers: string[] = [];
  const walk = async () => {
    const rows: unknown[] = [];
    let cursor = "";
    return {
      rows,
      /** Reads the next page of the walk, or all others. */
      next: async (limit: number) => {
        const { result, server } = await standby.whereFrom(() => service.get(`/v1/catalog?limit=${limit}${cursor}`));
        servers.push(server);
        rows.push(...result.body.data);
        cursor = `&cursor=${result.body.pagination.next_cursor}`;
      },
    };
  };
  const [before, during, after] = [await walk(), await walk(), await walk()];

  await before.next(2);
  await standby.pauseReplay();
  await service.addRows(products(4, { retailer: "bolt" }));
  await before.next(2);
  await during.next(3);
  await standby.resumeReplay();
  await standby.catchUp();
  await during.next(3);
  await addUnpublished(service.store, products(2, { retailer: "chez" }));
  await standby.catchUp();
  await after.next(3);
  await standby.stop();
  await before.next(2);
  await during.next(500);
  await standby.start();
  await expect
    .poll(async () => (await standby.whereFrom(() => service.get("/v1/catalog"))).server, { timeout: 20_000 })
    .toBe("standby");
  await before.next(500);
  await after.next(500);

  expect(servers).toEqual([
    ...["standby", "standby", "primary", "standby", "standby"],
    ...["primary", "primary", "standby", "standby"],
  ]);
  const inOrder = [...products(8), ...products(4, { retailer: "bolt" })].sort((one, other) =>
    one.sku + one.retailer < other.sku + other.retailer ? -1 : 1,
  );
  expect({ before: before.rows, during: during.rows, after: after.rows }).toEqual({
    before: products(8),
    during: inOrder,
    after: inOrder,
  });
});

test("a standby that does not answer is left alone for some seconds", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) {
      socket.destroy();
    }
    await once(silent.close(), "close");
  });
  const { port } = silent.address() as AddressInfo;
  const service = await startTestService({
    replica: `postgres://catalog@127.0.0.1:${port}/postgres`,
    rows: products(3),
  });
  const first = await service.get("/v1/catalog");
  const asked = sockets.length;
  const second = await service.get("/v1/sample");
  expect({ firstData: first.body.data, secondData: second.body.data, asked, socketCount: sockets.length }).toEqual({
    firstData: products(3),
    secondData: products(3),
    asked: 1,
    socketCount: 1,
  });
});
