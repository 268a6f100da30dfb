/**
 * Views of ten thousand objects of each kind do not hold the page: storage, workloads, and the first page.
 *
 * The objects are written to the store, without controllers: what is measured is the page.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { Write } from "../../src/storage/contract.ts";
import {
  describeInBrowser,
  mistakesOf,
  openBrowser,
  openStory,
  startServer,
  tasksOf,
  type TestBrowser,
  type TestPage,
  type TestServer,
} from "./kit/index.ts";

const COUNT = 10_000;
const NAMESPACES = 20;
const BATCH = 200;
/** A user does not feel a task that is shorter. It is the time of the processor, so that neighbours of the machine do not count. */
const LONGEST_MS = 100;
const TIMEOUT_MS = 180_000;
const NODES = 100;
const CREATED = "2026-01-02T03:04:05Z";

type Loose = Record<string, unknown>;

const uidOf = (kind: string, i: number): string =>
  `${kind.length.toString(16).padStart(8, "0")}-0000-4000-8000-${String(i).padStart(12, "0")}`;
const namespaceOf = (i: number): string => `team-${i % NAMESPACES}`;

const create = (group: string, plural: string, apiVersion: string, kind: string, i: number, rest: Loose): Write => {
  const { metadata = {}, ...body } = rest as { metadata?: Loose };
  const { name = `${kind.toLowerCase()}-${i}`, namespace } = metadata as { name?: string; namespace?: string };
  const object = {
    kind,
    apiVersion,
    metadata: { uid: uidOf(kind, i), creationTimestamp: CREATED, ...metadata, name },
    ...body,
  };
  const key = `/${group}/${plural}/${namespace === undefined ? "" : `${namespace}/`}${name}`;
  return { type: "create", key, value: Buffer.from(JSON.stringify(object)) };
};
const owned = (kind: string, i: number): Loose => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind, name: "x", uid: uidOf(kind, i), controller: true }],
});
const template = (app: string): Loose => ({
  metadata: { labels: { app } },
  spec: { restartPolicy: "Always", containers: [{ name: "main", image: "web:1" }] },
});

function storageOf(i: number): readonly Write[] {
  // One claim in fifty waits.
  const isBound = i % 50 !== 0;
  const namespace = namespaceOf(i);
  const claim = { metadata: { namespace, name: `claim-${i}` } };
  const spec = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: `class-${i % 7}`,
    volumeMode: "Filesystem",
  };
  const capacity = { storage: `${1 + (i % 9)}Gi` };
  return [
    create("core", "persistentvolumeclaims", "v1", "PersistentVolumeClaim", i, {
      metadata: {
        ...claim.metadata,
        ...(isBound && { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
      },
      spec: { ...spec, resources: { requests: capacity }, ...(isBound && { volumeName: `volume-${i}` }) },
      status: isBound ? { phase: "Bound", accessModes: spec.accessModes, capacity } : { phase: "Pending" },
    }),
    create("core", "persistentvolumes", "v1", "PersistentVolume", i, {
      metadata: { name: `volume-${i}` },
      spec: {
        ...spec,
        capacity,
        persistentVolumeReclaimPolicy: "Delete",
        csi: { driver: "disks.example.com", volumeHandle: `h${i}` },
        ...(isBound && {
          claimRef: { kind: "PersistentVolumeClaim", ...claim.metadata, uid: uidOf("PersistentVolumeClaim", i) },
        }),
      },
      status: { phase: isBound ? "Bound" : "Available" },
    }),
    create("storage.k8s.io", "volumeattachments", "storage.k8s.io/v1", "VolumeAttachment", i, {
      metadata: { name: `attachment-${i}` },
      spec: {
        attacher: "disks.example.com",
        nodeName: `node-${i % NODES}`,
        source: { persistentVolumeName: `volume-${i}` },
      },
      status: { attached: i % 40 !== 0 },
    }),
  ];
}

function workloadsOf(i: number): readonly Write[] {
  const namespace = namespaceOf(i);
  const app = `web-${i}`;
  const time = "2026-01-02T03:05:00Z";
  const isLast = i % 100 === 0;
  const deployment = Math.floor(i / 5);
  return [
    ...(i % 5 === 0
      ? [
          create("apps", "deployments", "apps/v1", "Deployment", deployment, {
            metadata: { namespace: namespaceOf(deployment), generation: 1 },
            spec: { replicas: 5, selector: { matchLabels: { app } }, template: template(app) },
            status: { observedGeneration: 1, replicas: 5, updatedReplicas: 5, availableReplicas: 5 },
          }),
          create("apps", "replicasets", "apps/v1", "ReplicaSet", deployment, {
            metadata: {
              namespace: namespaceOf(deployment),
              annotations: { "deployment.kubernetes.io/revision": "1" },
              ...owned("Deployment", deployment),
            },
            spec: { replicas: 5, selector: { matchLabels: { app } }, template: template(app) },
            status: { replicas: 5 },
          }),
        ]
      : []),
    create("core", "pods", "v1", "Pod", i, {
      metadata: { namespace: namespaceOf(deployment), labels: { app }, ...owned("ReplicaSet", deployment) },
      spec: { ...(template(app)["spec"] as Loose), nodeName: `node-${i % NODES}` },
      status: {
        phase: "Running",
        conditions: ["PodScheduled", "Ready"].map((type) => ({ type, status: "True", lastTransitionTime: time })),
        containerStatuses: [
          {
            name: "main",
            ready: true,
            image: "web:1",
            imageID: "",
            restartCount: 0,
            state: { running: { startedAt: time } },
          },
        ],
      },
    }),
    create("batch", "jobs", "batch/v1", "Job", i, {
      metadata: { namespace },
      spec: { completions: 1, parallelism: 1, template: template(app) },
      status: {
        startTime: time,
        ...(isLast
          ? { active: 1 }
          : {
              completionTime: "2026-01-02T03:06:00Z",
              succeeded: 1,
              conditions: [{ type: "Complete", status: "True", lastTransitionTime: time }],
            }),
      },
    }),
  ];
}

describeInBrowser("ten thousand objects", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ store: "memory", controllers: ["none"] }), openBrowser()]);
    const { store } = server.running;
    const writes: Write[] = [
      ...Array.from({ length: 7 }, (_, i) =>
        create("storage.k8s.io", "storageclasses", "storage.k8s.io/v1", "StorageClass", i, {
          metadata: { name: `class-${i}` },
          provisioner: "disks.example.com",
          volumeBindingMode: "Immediate",
        }),
      ),
      ...Array.from({ length: NODES }, (_, i) => create("core", "nodes", "v1", "Node", i, { spec: {}, status: {} })),
      ...Array.from({ length: COUNT }, (_, i) => [...storageOf(i), ...workloadsOf(i)]).flat(),
    ];
    for (let from = 0; from < writes.length; from += BATCH)
      // oxlint-disable-next-line no-await-in-loop -- as many as a transaction may have
      await store.transact(writes.slice(from, from + BATCH));
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const open = async (): Promise<TestPage> => {
    const opened = await openStory(browser, server, "/console/plan");
    opened.page.setDefaultTimeout(60_000);
    return opened;
  };
  /** Does something, and waits until what it has begun has ended. */
  const during = async (what: string, page: Page, work: () => Promise<unknown>): Promise<void> => {
    const tasks = await tasksOf(browser.browser, page, async () => {
      await work();
      await page.waitForTimeout(1500);
    });
    process.stderr.write(`${what}: ${tasks.toString()}\n`);
    expect(tasks.longest).toBeLessThan(LONGEST_MS);
  };
  const touch = async (plural: string, i: number): Promise<unknown> =>
    server.ask("PATCH", plural, {
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { labels: { turn: String(i) } } }),
    });

  test(
    "the picture and the tables of storage, while claims change",
    async () => {
      const opened = await open();
      const { page } = opened;
      await during("the picture of storage", page, async () => {
        await page.goto(`${server.url}/console/storage`);
        await page.locator(".box-many").first().waitFor();
      });
      await during("claims change", page, async () => {
        for (let i = 0; i < 5; i++) {
          // oxlint-disable no-await-in-loop -- one change after the other
          await touch(`/api/v1/namespaces/${namespaceOf(i)}/persistentvolumeclaims/claim-${i}`, i);
          await page.waitForTimeout(300);
          // oxlint-enable no-await-in-loop
        }
      });
      await during("a box is chosen", page, async () => {
        await page.locator("[data-box^=claims]").nth(3).click();
        await page.locator(".details").waitFor();
      });
      await during("only what waits", page, async () => {
        await page.getByLabel("only what waits").check();
        await page.waitForTimeout(1000);
        await page.getByLabel("only what waits").uncheck();
      });
      await during("the table of storage", page, async () => {
        await page.click("#tab-table");
        await page.locator("[data-item]").first().waitFor();
        await page.locator(".items").hover();
        for (let i = 0; i < 10; i++) await page.mouse.wheel(0, 3000);
      });
      await during("capacity", page, async () => {
        await page.click("#tab-capacity");
        await page.locator(".capacity-table").waitFor();
      });
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "the time line of workloads, while Pods change",
    async () => {
      const opened = await open();
      const { page } = opened;
      await during("the time line", page, async () => {
        await page.goto(`${server.url}/console/workloads`);
        await page.locator("[data-row]").first().waitFor();
      });
      await during("Pods change", page, async () => {
        for (let i = 0; i < 5; i++) {
          // oxlint-disable no-await-in-loop -- one change after the other
          await touch(`/api/v1/namespaces/${namespaceOf(0)}/pods/pod-${i}`, i);
          await page.waitForTimeout(300);
          // oxlint-enable no-await-in-loop
        }
      });
      await during("rows are filtered", page, async () => {
        await page.getByLabel("Name", { exact: true }).fill("job-99");
        await page.locator('[data-row^="Job/"]').first().waitFor();
      });
      await during("a row is chosen", page, async () => {
        await page.locator(".time-name").first().click();
        await page.locator(".details").waitFor();
      });
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "the first page counts them",
    async () => {
      const opened = await open();
      const { page } = opened;
      await during("the first page", page, async () => {
        await page.goto(`${server.url}/console/`);
        await page
          .locator(".count", { hasText: COUNT.toLocaleString("en") })
          .first()
          .waitFor();
      });
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
