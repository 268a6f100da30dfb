import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kubernetes } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { CONFORMANCE_GATES } from "../conformance/server.ts";
import { openOurs } from "./ours.ts";
import { type Change, type Found, change, found } from "./restarts.ts";

// The features with which the real server was started.
const gates = gatesOf(kubernetes, CONFORMANCE_GATES);
/** A real server makes it of `system:discovery` where it is missing, for clusters that came from a release before 1.14. */
const COPIED = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:public-info-viewer";

// Recorded by `restarts-record.ts`, on a real server that was started again.
const FILE = new URL("restarts.json", import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as readonly { changes: readonly Change[]; after: Found }[];

describe("RBAC-57: after another start default roles and bindings are what a real server has made of them", () => {
  test.each(recorded.map(({ changes, after }, i) => [i, changes, after] as const))("story %i", async (...args) => {
    const [, changes, after] = args;
    const store = await openMemoryStore();
    const begin = () => openOurs({ store, defaultRoles: true, gates });
    const before = await (async () => {
      await using server = await begin();
      return await change(server, changes);
    })();
    await using server = await begin();
    const ours = await found(server, before);
    for (const [path, wanted] of Object.entries(after).filter(([at]) => at !== COPIED))
      expect({ path, ...ours[path] }).toEqual({ path, ...wanted });
  });

  test("much was changed, restored, created again and left", () => {
    const objects = recorded.flatMap(
      ({ after }) => Object.values(after) as { isNew?: boolean; annotations?: object }[],
    );
    expect(recorded.flatMap(({ changes }) => changes).length).toBeGreaterThan(100);
    expect(objects.filter(({ isNew }) => isNew).length).toBeGreaterThan(20);
    expect(JSON.stringify(objects)).toContain('autoupdate":"false"');
  });
});
