import { expect, test } from "vitest";
import { createApp } from "../../../src/service/http/app.ts";
import { openStore } from "../../../src/service/store/store.ts";

test("a closed application is not kept in memory", async () => {
  const closed: WeakRef<object>[] = [];
  for (let index = 0; index < 3; index += 1) {
    const store = await openStore(":memory:");
    const app = createApp(store);
    await app.listen({ port: 0 });
    closed.push(new WeakRef(app));
    await app.close();
    await store.close();
  }

  await expect
    .poll(() => {
      globalThis.gc?.();
      return closed.filter((app) => app.deref() !== undefined).length;
    })
    // The variables of the last round may still hold theirs.
    .toBeLessThanOrEqual(1);
});
