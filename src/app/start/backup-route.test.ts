import { expect, test } from "vitest";
import { neutral } from "../../meta/dialect.ts";
import { testServer } from "../../server/testing/test-server.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { seededRandom, systemClock } from "../../util/clock.ts";
import { backupRoute } from "./backup-route.ts";

test("a backup is aborted when its credential is revoked", async () => {
  const random = seededRandom(1);
  const store = await openMemoryStore();
  for (let i = 0; i < 200; i++) {
    // Content that cannot be compressed: it is not sent before a client reads it.
    const value = Buffer.from(Array.from({ length: 20_000 }, () => Math.trunc(random.next() * 256)));
    await store.write({ type: "create", key: `/things/${i}`, value });
  }
  let revoked = false;
  const { server } = await testServer({
    routes: [backupRoute(store, neutral, systemClock)],
    authenticator: { authenticate: () => ({ user: "kim", groups: ["system:masters"] }), isRevoked: () => revoked },
  });
  const response = await server.inject({ url: "/keelson/v1/backup" });
  expect(response.code).toBe(200);
  await server.endRevoked();
  revoked = true;
  await server.endRevoked();
  await expect(response.bytes()).rejects.toThrow("the server broke off");
  await store.close();
});
