/** Quotas on a server that is killed while 64 writers fill them. */
import { afterAll, expect, test } from "vitest";
import { seededRandom } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { Http2Client, Keelson, Scratch } from "./keelson.ts";
import { churn, counted, fill, limit } from "./quota-load.ts";

const ROUNDS = amount("ROUNDS", 3, 10);
const SEED = Number(process.env["SEED"]);
const MOST = 30;

const scratch = new Scratch();
afterAll(() => scratch.remove());

test(
  `QUOTA-2: killed ${ROUNDS} times under 64 writers, a server never stores more than a quota allows, and counts it right again`,
  { timeout: 60_000 + ROUNDS * 30_000 },
  async () => {
    console.log(`quotas on a server that is killed: SEED=${SEED} ROUNDS=${ROUNDS}`);
    const random = seededRandom(SEED);
    const directory = scratch.fresh();
    const flags = ["--data-dir", directory, "--port", "0", "--enable-admission-plugins", "ResourceQuota"];
    const start = (): Promise<Keelson> => Keelson.serve(flags);
    const connect = (keelson: Keelson): Promise<Http2Client> => Http2Client.connect(keelson, directory);
    let keelson = await start();
    await limit(await connect(keelson), MOST);
    let created = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const clients = await Promise.all([1, 2, 3].map(() => connect(keelson)));
      const written = churn(clients, `r${round}`, random);
      await new Promise((resolve) => setTimeout(resolve, 300 + random.next() * 700));
      expect(await keelson.stop("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" });
      created += await written;
      keelson = await start();
      const client = await connect(keelson);
      const { stored } = await counted(client);
      expect(stored).toBeLessThanOrEqual(MOST);
      // What was booked for writes that were never stored is free again.
      await fill([client], `f${round}`);
      expect(await counted(client)).toEqual({ used: MOST, stored: MOST });
      await client.done("DELETE", "/api/v1/namespaces/full/configmaps");
      await counted(client);
    }
    await keelson.stop();
    console.log(`quotas on a server that is killed: ${created} creates, ${ROUNDS} kills`);
    expect(created).toBeGreaterThan(ROUNDS * 5);
  },
);
