import { describe, expect, test } from "vitest";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../client/kinds/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { badRequest } from "../meta/status.ts";
import { type Filter, withFilter } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, type ClusterParts, createCluster } from "./index.ts";

const started = (store: Store, more: Partial<ClusterParts> = {}): Promise<Cluster> => {
  const around = { clock: new ManualClock(), random: seededRandom(1) };
  return createCluster({ store, dialect: kubernetes, defaultRoles: true, ...around, ...more });
};

const client = (cluster: Cluster) => cluster.client("test");

async function readiness({ server }: Cluster): Promise<string> {
  const response = await server.inject({ method: "GET", url: "/readyz?verbose", headers: {} });
  return `${response.code} ${await response.text()}`;
}

const HOOK = "poststarthook/rbac/bootstrap-roles";

/** All roles and bindings there are. */
async function counts(cluster: Cluster): Promise<readonly number[]> {
  const kinds = [ClusterRole, ClusterRoleBinding, Role, RoleBinding];
  const lists = await Promise.all(kinds.map((kind) => client(cluster).resource(kind).list()));
  return lists.map(({ items }) => items.length);
}

/** What the roles of one start are at the next one. */
async function restarted(store: Store, change: (cluster: Cluster) => Promise<unknown>): Promise<Cluster> {
  const first = await started(store);
  await first.makeRoles();
  await change(first);
  await first.close();
  const second = await started(store);
  await second.makeRoles();
  return second;
}

describe("RBAC-58: readiness", () => {
  test("a server is ready when its roles are made", async () => {
    await using cluster = await started(await openMemoryStore());
    expect(await readiness(cluster)).toContain(`500 [+]ping ok`);
    expect(await readiness(cluster)).toContain(`[-]${HOOK} failed`);
    await cluster.makeRoles();
    expect(await readiness(cluster)).toMatch(/^200 /);
    expect(await counts(cluster)).toEqual([68, 49, 7, 7]);
  });

  test("what cannot be made is tried again", async () => {
    const clock = new ManualClock();
    let isBroken = true;
    const refuse = {
      name: "refuse",
      validate({ object }: { object: { metadata: { name?: string } } | undefined }) {
        if (isBroken && object?.metadata.name === "view") throw badRequest("not now");
      },
    };
    await using cluster = await started(await openMemoryStore(), { clock, steps: [refuse] });
    await cluster.makeRoles();
    expect(await counts(cluster)).toEqual([67, 49, 7, 7]);
    expect(await readiness(cluster)).toContain(`[-]${HOOK} failed`);
    isBroken = false;
    await expect.poll(() => (clock.advance(1000), readiness(cluster))).toMatch(/^200 /);
    expect(await counts(cluster)).toEqual([68, 49, 7, 7]);
  });

  test("a cluster that is closed meanwhile does not wait for it", async () => {
    const refuse = {
      name: "refuse",
      validate({ ref }: { ref: { group: string } }) {
        if (ref.group === "rbac.authorization.k8s.io") throw badRequest("not now");
      },
    };
    const cluster = await started(await openMemoryStore(), { steps: [refuse] });
    const made = cluster.makeRoles();
    await cluster.close();
    await expect(made).resolves.toBeUndefined();
  });

  test("an observer of requests sees that they are created, and they are the same without one", async () => {
    const seen: string[] = [];
    const follow: Filter = { name: "follow", enter: (_, request) => void seen.push(request.identity.user) };
    const filters = withFilter(follow, { after: "authenticate" });
    await using followed = await started(await openMemoryStore(), { server: { filters } });
    await using quiet = await started(await openMemoryStore());
    for (const cluster of [followed, quiet]) await cluster.makeRoles();
    expect(seen).toEqual(Array.from({ length: 131 }, () => "system:apiserver"));
    const [one, other] = await Promise.all(
      [followed, quiet].map(async (cluster) => {
        const { metadata, rules, aggregationRule } = await client(cluster).resource(ClusterRole).get({ name: "view" });
        const { name, labels, annotations, managedFields } = metadata;
        return { name, labels, annotations, managedFields, rules, aggregationRule };
      }),
    );
    expect(one).toEqual(other);
    expect(one!.managedFields).toMatchObject([{ manager: "kube-apiserver", operation: "Update" }]);
  });

  test("a cluster where no roles decide has none, and is ready", async () => {
    await using cluster = await started(await openMemoryStore(), { defaultRoles: false });
    await cluster.makeRoles();
    expect(await readiness(cluster)).toMatch(/^200 /);
    expect(await readiness(cluster)).not.toContain(HOOK);
    expect(await counts(cluster)).toEqual([0, 0, 0, 0]);
  });

  test("a fork has those of its parent, and is ready", async () => {
    const store = await openMemoryStore();
    await using cluster = await started(store);
    await cluster.makeRoles();
    const still = store.fork();
    await using fork = cluster.keep(still, new ManualClock()).fork({ store: still.fork() });
    expect(await readiness(fork)).toMatch(/^200 /);
    expect(await counts(fork)).toEqual([68, 49, 7, 7]);
  });
});

describe("RBAC-57: the next start", () => {
  test("a start that finds everything as it should be writes nothing", async () => {
    const store = await openMemoryStore();
    let before = 0;
    await using cluster = await restarted(store, () => Promise.resolve((before = store.revision)));
    expect(store.revision).toBe(before);
    expect(await readiness(cluster)).toMatch(/^200 /);
  });

  test("what was deleted comes back, what was taken away is added, what was added stays", async () => {
    const store = await openMemoryStore();
    const extra = { verbs: ["get"], apiGroups: ["example.com"], resources: ["things"] };
    await using cluster = await restarted(store, async (first) => {
      await client(first).resource(ClusterRole).delete({ name: "view" });
      const rules = { rules: [extra] };
      await client(first).resource(ClusterRole).patch({ name: "system:kube-dns" }, rules);
      await client(first)
        .resource(ClusterRoleBinding)
        .patch({ name: "system:discovery" }, { metadata: { labels: null }, subjects: null });
    });
    const found = await client(cluster).resource(ClusterRole).get({ name: "system:kube-dns" });
    const single = (verb: string, resource: string) => ({ verbs: [verb], apiGroups: [""], resources: [resource] });
    expect(found.rules).toEqual([
      extra,
      single("list", "endpoints"),
      single("watch", "endpoints"),
      single("list", "services"),
      single("watch", "services"),
    ]);
    const binding = await client(cluster).resource(ClusterRoleBinding).get({ name: "system:discovery" });
    expect(binding).toMatchObject({
      metadata: { labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } },
      subjects: [{ kind: "Group", name: "system:authenticated" }],
    });
    expect(await counts(cluster)).toEqual([68, 49, 7, 7]);
  });

  test("a binding that gives another role is deleted and made again", async () => {
    let uid = "";
    await using cluster = await restarted(await openMemoryStore(), async (first) => {
      const bindings = client(first).resource(RoleBinding);
      const key = { name: "system:controller:token-cleaner", namespace: "kube-system" };
      await bindings.delete(key);
      const apiGroup = "rbac.authorization.k8s.io";
      const roleRef = { apiGroup, kind: "ClusterRole", name: "cluster-admin" };
      ({ uid } = (await bindings.create({ metadata: key, roleRef })).metadata);
    });
    const bindings = client(cluster).resource(RoleBinding);
    const found = await bindings.get({ name: "system:controller:token-cleaner", namespace: "kube-system" });
    expect(found.roleRef).toMatchObject({ kind: "Role", name: "system:controller:token-cleaner" });
    expect(found.subjects).toEqual([{ kind: "ServiceAccount", name: "token-cleaner", namespace: "kube-system" }]);
    expect(found.metadata.uid).not.toBe(uid);
  });

  test('an object of which the annotation says "false" is left as it is', async () => {
    await using cluster = await restarted(await openMemoryStore(), (first) =>
      client(first)
        .resource(ClusterRole)
        .patch(
          { name: "cluster-admin" },
          { metadata: { annotations: { "rbac.authorization.kubernetes.io/autoupdate": "false" } }, rules: null },
        ),
    );
    expect((await client(cluster).resource(ClusterRole).get({ name: "cluster-admin" })).rules).toBeNull();
  });

  test("servers that start at a time on one store agree", async () => {
    const store = await openMemoryStore();
    await using first = await started(store);
    await using second = await started(store, { random: seededRandom(2) });
    await Promise.all([first.makeRoles(), second.makeRoles()]);
    for (const cluster of [first, second]) {
      expect(await readiness(cluster)).toMatch(/^200 /);
      expect(await counts(cluster)).toEqual([68, 49, 7, 7]);
    }
  });
});
