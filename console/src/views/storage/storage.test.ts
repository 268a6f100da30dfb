import { describe, expect, test } from "vitest";
import { kubernetes } from "../../../../src/meta/dialect.ts";
import { atOnce } from "../../../../src/util/steps.ts";
import { boxSteps, type Drawn, MAX_BOXES } from "./boxes.ts";
import { capacitySteps } from "./capacity.ts";
import { type Storage, titleOf } from "./item.ts";
import { type StorageInput, storageSteps } from "./items.ts";
import { boxBeside, boxesInView, layoutOf } from "./layout.ts";
import { bytesOf, type StorageObjects } from "./objects.ts";

type Loose = Record<string, unknown>;

/** Objects as the API has them, with what the tests say of them. */
const claim = (name: string, spec: Loose = {}, status: Loose = {}, metadata: Loose = {}): unknown => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { namespace: "team", name, uid: `uid-${name}`, ...metadata },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "fast",
    ...spec,
  },
  status: { phase: "Pending", ...status },
});
const bound = (name: string, volumeName: string, metadata: Loose = {}): unknown =>
  claim(
    name,
    { volumeName },
    { phase: "Bound", capacity: { storage: "1Gi" } },
    { annotations: { "pv.kubernetes.io/bind-completed": "yes" }, ...metadata },
  );
const volume = (name: string, spec: Loose = {}, status: Loose = { phase: "Available" }): unknown => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, uid: `uid-${name}` },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "fast", ...spec },
  status,
});
const storageClass = (name: string, more: Loose = {}): unknown => ({
  metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z" },
  provisioner: "disks.example.com",
  ...more,
});
const attachment = (name: string, volumeName: string, nodeName: string, status: Loose): unknown => ({
  metadata: { name },
  spec: { attacher: "disks.example.com", nodeName, source: { persistentVolumeName: volumeName } },
  status,
});
const node = (name: string, zone: string): unknown => ({
  metadata: { name, labels: { "topology.kubernetes.io/zone": zone, other: "x" } },
});

const objects = (some: Partial<Record<keyof StorageObjects, readonly unknown[]>>): StorageObjects =>
  ({
    claims: [],
    volumes: [],
    classes: [],
    attachments: [],
    nodes: [],
    drivers: [],
    csiNodes: [],
    capacities: [],
    ...some,
  }) as StorageObjects;

const storageOf = (
  some: StorageObjects,
  filter?: StorageInput["filter"],
  partial: readonly (keyof StorageObjects)[] = [],
): Storage =>
  atOnce(storageSteps({ objects: some, dialect: kubernetes, ...(filter && { filter }), partial: new Set(partial) }));
const boxesOf = (storage: Storage): Drawn => atOnce(boxSteps(storage));

const saysOf = (some: Parameters<typeof objects>[0], name: string): string | undefined =>
  storageOf(objects(some)).items.find((item) => item.name === name)?.wait?.says;

const claimRef = { namespace: "team", name: "a", uid: "uid-a" };

describe("what waits says why", () => {
  test.each([
    ["it waits for the provisioner disks.example.com to create a volume", { classes: [storageClass("fast")] }],
    ['storageclass.storage.k8s.io "fast" not found', {}],
    [
      "it waits for a Pod that uses it (WaitForFirstConsumer)",
      { classes: [storageClass("fast", { volumeBindingMode: "WaitForFirstConsumer" })] },
    ],
    ["it waits for the binder: the volume v fits it", { classes: [storageClass("fast")], volumes: [volume("v")] }],
  ])("a claim: %s", (says, some) => {
    expect(saysOf({ claims: [claim("a")], ...some }, "a")).toBe(says);
  });

  test("a claim that names a volume which is not there, is taken, or is too small", () => {
    const claims = [claim("a", { volumeName: "v" })];
    expect(saysOf({ claims }, "a")).toBe("it names the volume v, which does not exist");
    const taken = volume("v", { claimRef: { namespace: "team", name: "other" } });
    expect(saysOf({ claims, volumes: [taken] }, "a")).toBe(
      "it names the volume v, which belongs to the claim team/other",
    );
    expect(saysOf({ claims, volumes: [volume("v", { capacity: { storage: "1Mi" } })] }, "a")).toBe(
      "it names the volume v, which does not fit: expected at least 1Gi, it has 1Mi",
    );
  });

  test("a bound claim waits for nothing, unless it grows, is deleted or has lost its volume", () => {
    const volumes = [volume("v", { claimRef }, { phase: "Bound" })];
    expect(saysOf({ claims: [bound("a", "v")], volumes }, "a")).toBeUndefined();
    const grows = { ...(bound("a", "v") as Loose), status: { phase: "Bound", capacity: { storage: "512Mi" } } };
    expect(saysOf({ claims: [grows], volumes }, "a")).toBe(
      "it has 512Mi and requests 1Gi, and waits for its volume to be enlarged",
    );
    const dying = bound("a", "v", {
      deletionTimestamp: "2026-01-01T00:00:00Z",
      finalizers: ["kubernetes.io/pvc-protection"],
    });
    expect(saysOf({ claims: [dying], volumes }, "a")).toBe("it is being deleted; held by kubernetes.io/pvc-protection");
    expect(saysOf({ claims: [bound("a", "v")] }, "a")).toContain("it has lost its volume");
  });

  test("an attachment that is not done, or failed", () => {
    expect(saysOf({ attachments: [attachment("x", "v", "n", { attached: false })] }, "v")).toBe(
      "disks.example.com is attaching it to n",
    );
    const failed = { attached: false, attachError: { message: "no slot" } };
    expect(saysOf({ attachments: [attachment("x", "v", "n", failed)] }, "v")).toBe(
      "disks.example.com could not attach it: no slot",
    );
    expect(saysOf({ attachments: [attachment("x", "v", "n", { attached: true })] }, "v")).toBeUndefined();
  });

  test("a released volume that is kept", () => {
    const kept = volume("v", { persistentVolumeReclaimPolicy: "Retain" }, { phase: "Released" });
    expect(saysOf({ volumes: [kept] }, "v")).toBe(
      "its claim was deleted, and its reclaim policy keeps it until it is deleted",
    );
  });
});

const chain = objects({
  drivers: [{ metadata: { name: "disks.example.com" } }],
  classes: [storageClass("fast"), storageClass("slow")],
  claims: [bound("a", "v"), claim("b")],
  volumes: [volume("v", { claimRef }, { phase: "Bound" })],
  attachments: [attachment("x", "v", "n1", { attached: true })],
  nodes: [node("n1", "z1"), node("n2", "z2")],
});

describe("links", () => {
  test("a bound claim is linked from its class to its node", () => {
    const { links } = storageOf(chain);
    expect(links.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "drivers/disks.example.com classes/fast",
      "drivers/disks.example.com classes/slow",
      "classes/fast claims/team/a",
      "claims/team/a volumes/v",
      "classes/fast claims/team/b",
      "volumes/v attachments/x",
      "attachments/x nodes/n1",
    ]);
    expect(links.every(({ isReady }) => isReady)).toBe(true);
  });
  test("a volume that is reserved for a claim has a link that is not ready", () => {
    const { links } = storageOf(objects({ claims: [claim("a")], volumes: [volume("v", { claimRef })] }));
    expect(links).toEqual([{ from: "claims/team/a", to: "volumes/v", isReady: false }]);
  });
  test.each([
    [
      "a node",
      { node: "n1" },
      ["drivers/disks.example.com", "classes/fast", "claims/team/a", "volumes/v", "attachments/x", "nodes/n1"],
    ],
    ["a node with nothing", { node: "n2" }, ["nodes/n2"]],
    ["what waits", { waiting: true }, ["drivers/disks.example.com", "classes/fast", "claims/team/b"]],
    ["another namespace", { namespace: "none" }, []],
    ["a class", { storageClass: "slow" }, ["drivers/disks.example.com", "classes/slow"]],
  ])("the filter keeps %s and what it is linked with", (_, filter, expected) => {
    expect(storageOf(chain, filter).items.map(({ id }) => id)).toEqual(expected);
  });
  test("a class whose provisioner is no CSIDriver has a box for it", () => {
    const { items, links } = storageOf(objects({ classes: [storageClass("fast")] }));
    expect(items.map(({ id, detail }) => `${id}: ${detail}`).toSorted()).toEqual([
      "classes/fast: binds at once",
      "drivers/disks.example.com: no CSIDriver",
    ]);
    expect(links).toEqual([{ from: "drivers/disks.example.com", to: "classes/fast", isReady: true }]);
  });
  test("an attachment to a node that is not known has no link to it", () => {
    const some = objects({ attachments: [attachment("x", "v", "gone", { attached: true })] });
    expect(storageOf(some).links).toEqual([]);
  });
});

describe("for a user who may not read all lists", () => {
  const claims = [bound("a", "v"), claim("b"), claim("c", {}, { phase: "Lost" })];
  test("a claim says what it says of itself, and what it names is there without a state", () => {
    const { items, links } = storageOf(objects({ claims }), {}, ["volumes", "classes", "drivers", "nodes"]);
    expect(items.map(({ id, state, wait }) => [id, state, wait?.isStuck])).toEqual([
      ["claims/team/a", "ok", undefined],
      ["claims/team/b", "waits", false],
      ["claims/team/c", "stuck", true],
      ["classes/fast", "unknown", undefined],
      ["volumes/v", "unknown", undefined],
    ]);
    expect(links.length).toBe(4);
    expect(items.filter(({ object }) => object).length).toBe(3);
  });
  test("what is known of a list that is too long is used", () => {
    const some = objects({
      claims,
      volumes: [volume("v", { claimRef }, { phase: "Bound" })],
      classes: [storageClass("fast")],
    });
    const { items } = storageOf(some, {}, ["volumes"]);
    const waitOf = (id: string): string | undefined => items.find((item) => item.id === id)?.wait?.says;
    expect(waitOf("claims/team/a")).toBeUndefined();
    expect(waitOf("claims/team/b")).toContain("waits for the provisioner");
  });
  test("a provisioner may be registered as a driver that is not read", () => {
    const some = objects({ classes: [storageClass("fast")] });
    const driverOf = (...partial: (keyof StorageObjects)[]): unknown =>
      storageOf(some, {}, partial).items.find(({ column }) => column === "drivers");
    expect(driverOf()).toMatchObject({ state: "ok", detail: "no CSIDriver" });
    expect(driverOf("drivers")).toMatchObject({ state: "unknown", detail: "" });
  });
});

describe("many objects", () => {
  const many = objects({
    classes: [storageClass("fast")],
    claims: [
      ...Array.from({ length: 5000 }, (_, i) => bound(`c${i}`, `v${i}`)),
      ...Array.from({ length: 7 }, (_, i) => claim(`waits-${i}`)),
    ],
    volumes: Array.from({ length: 5000 }, (_, i) =>
      volume(`v${i}`, { claimRef: { namespace: "team", name: `c${i}`, uid: `uid-c${i}` } }, { phase: "Bound" }),
    ),
  });
  const { boxes, lines } = boxesOf(storageOf(many));
  test("alike ones are one box with a count, what waits stays a box of its own", () => {
    const claims = boxes.filter(({ column }) => column === "claims");
    expect(claims.map(({ title, count }) => [title, count])).toEqual([
      ...Array.from({ length: 7 }, (_, i) => [`team/waits-${i}`, 1]),
      ["team · fast · Bound", 5000],
    ]);
    expect(lines.find(({ count }) => count === 5000)).toMatchObject({ isReady: true });
  });
  test("a column has no more boxes than the bound, and every object is in one", () => {
    const claims = Array.from({ length: 3000 }, (_, i) => claim(`c${i}`, {}, {}, { namespace: `ns-${i % 200}` }));
    const drawn = boxesOf(storageOf(objects({ claims }))).boxes;
    expect(drawn.length).toBe(MAX_BOXES);
    expect(drawn.reduce((sum, { count }) => sum + count, 0)).toBe(3000);
  });
});

describe("layout", () => {
  const layout = layoutOf(...(Object.values(boxesOf(storageOf(chain))) as Parameters<typeof layoutOf>));
  test("boxes do not overlap, and a line leads from left to right", () => {
    const places = layout.boxes.map(({ x, y }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(layout.boxes.length);
    const at = (id: string): number => layout.boxes.find((box) => box.id === id)!.x;
    expect(layout.lines.every(({ from, to }) => at(from) < at(to))).toBe(true);
  });
  test("only boxes near the view are drawn, and the one that has the focus", () => {
    const claims = Array.from({ length: 60 }, (_, i) => claim(`c${String(i).padStart(2, "0")}`));
    const tall = layoutOf(boxesOf(storageOf(objects({ claims }))).boxes, []);
    const namesIn = (top: number, also: string[] = []): string[] =>
      boxesInView(tall, { top, height: 400 }, also).map(({ items }) => items[0]!.name);
    expect(namesIn(0)).toEqual(Array.from({ length: 16 }, (_, i) => `c${String(i).padStart(2, "0")}`));
    expect(namesIn(tall.height).at(-1)).toBe("c59");
    expect(namesIn(tall.height)).not.toContain("c00");
    expect(namesIn(tall.height, ["claims/team/c00"])).toContain("c00");
  });
  test("columns without boxes are left out", () => {
    const { columns } = layoutOf(boxesOf(storageOf(objects({ nodes: [node("n", "z")] }))).boxes, []);
    expect(columns.map(({ column }) => column)).toEqual(["nodes"]);
  });
  test("the columns fill the width that there is, and overflow only where boxes would be too narrow", () => {
    const { boxes, lines } = boxesOf(storageOf(chain));
    const widthAt = (room: number): number => layoutOf(boxes, lines, room).width;
    for (const room of [900, 1000, 1200, 1400]) {
      expect(widthAt(room)).toBeLessThanOrEqual(room);
      expect(widthAt(room)).toBeGreaterThan(room - 12);
    }
    expect(widthAt(10_000)).toBeLessThan(2400);
    expect(layoutOf(boxes, lines, 300).boxWidth).toBeGreaterThan(100);
  });
  test("the keyboard follows links to the right and to the left, and the column up and down", () => {
    expect(boxBeside(layout, "claims/team/a", "ArrowRight")).toBe("volumes/v");
    expect(boxBeside(layout, "volumes/v", "ArrowLeft")).toBe("claims/team/a");
    expect(boxBeside(layout, "claims/team/a", "ArrowDown")).toBe("claims/team/b");
    expect(boxBeside(layout, "claims/team/b", "ArrowDown")).toBeUndefined();
    expect(boxBeside(layout, "nothing", "ArrowDown")).toBe(layout.boxes[0]!.id);
  });
  test("lines cross less often after the order by neighbours", () => {
    const some = objects({
      claims: Array.from({ length: 9 }, (_, i) => bound(`c${i}`, `v${8 - i}`)),
      volumes: Array.from({ length: 9 }, (_, i) =>
        volume(
          `v${i}`,
          { claimRef: { namespace: "team", name: `c${8 - i}`, uid: `uid-c${8 - i}` } },
          { phase: "Bound" },
        ),
      ),
    });
    const { boxes, lines } = boxesOf(storageOf(some));
    const placed = new Map(layoutOf(boxes, lines).boxes.map((box) => [box.id, box]));
    expect(lines.every(({ from, to }) => placed.get(from)!.y === placed.get(to)!.y)).toBe(true);
  });
});

test("capacity is summed by class and topology", () => {
  const affinity = {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["z1"] }] },
      ],
    },
  };
  const rows = atOnce(
    capacitySteps(
      objects({
        classes: [storageClass("fast"), storageClass("empty")],
        claims: [claim("a")],
        volumes: [
          volume("v", { nodeAffinity: affinity }, { phase: "Bound" }),
          volume("w", { nodeAffinity: affinity }, { phase: "Released" }),
        ],
        capacities: [
          {
            storageClassName: "fast",
            nodeTopology: { matchLabels: { "topology.kubernetes.io/zone": "z1" } },
            capacity: "2Gi",
            maximumVolumeSize: "1Gi",
          },
        ],
      }),
      kubernetes,
    ),
  );
  const gib = 1024 ** 3;
  expect(rows).toEqual([
    { storageClass: "empty", topology: "", volumes: 0, bound: 0, unbound: 0, requested: 0 },
    { storageClass: "fast", topology: "", volumes: 0, bound: 0, unbound: 0, requested: gib },
    {
      storageClass: "fast",
      topology: "zone=z1",
      volumes: 2,
      bound: gib,
      unbound: gib,
      requested: 0,
      free: 2 * gib,
      largest: gib,
    },
  ]);
});

test.each([
  ["1Gi", 1024 ** 3],
  ["500m", 0.5],
  ["x", 0],
  ["1e2000000000", 0],
  [undefined, 0],
])("the bytes of %s", (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

test("an object is named by what it is, its namespace and its name", () => {
  expect(titleOf({ column: "claims", namespace: "team", name: "disk" })).toBe("Claim team/disk");
  expect(titleOf({ column: "classes", name: "fast" })).toBe("Class fast");
});
