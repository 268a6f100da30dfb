import { describe, expect, test } from "vitest";
import type { Answer, Members } from "./answer.ts";
import { type Api, type Query, fresh, serve } from "./api.ts";

const TIME = "2026-01-01T00:00:00Z";
const LABELS = { app: "a" };
const READY = [{ type: "Ready", status: "True", lastTransitionTime: TIME }];

/** What the tests of a namespace ask for. */
class Namespace {
  readonly #api: Api;
  readonly name: string;

  constructor(api: Api, name: string) {
    this.#api = api;
    this.name = name;
  }

  static async of(api: Api): Promise<Namespace> {
    const name = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name } });
    return new Namespace(api, name);
  }

  pods = (...below: string[]): string => ["/api/v1/namespaces", this.name, "pods", ...below].join("/");
  budgets = (...below: string[]): string =>
    ["/apis/policy/v1/namespaces", this.name, "poddisruptionbudgets", ...below].join("/");

  /** A Pod on a node that runs and is ready, unless said otherwise. */
  async pod(name: string, status: object = {}, labels: object = LABELS): Promise<void> {
    const spec = { containers: [{ name: "c", image: "i" }], nodeName: "n" };
    await this.#api.post(this.pods(), { metadata: { name, labels }, spec });
    await this.#api.merge(this.pods(name, "status"), { status: { phase: "Running", conditions: READY, ...status } });
  }

  /** A budget of these Pods that has been counted. */
  async budget(name: string, status: object, spec: object = {}): Promise<void> {
    const selector = { matchLabels: LABELS };
    await this.#api.post(this.budgets(), { metadata: { name }, spec: { selector, minAvailable: 1, ...spec } });
    await this.count(name, { observedGeneration: 1, ...status });
  }

  count = (name: string, status: object): Promise<Answer> => this.#api.merge(this.budgets(name, "status"), { status });

  evict = (name: string, more: object = {}, query: Query = {}): Promise<Answer> =>
    this.#api.post(
      this.pods(name, "eviction"),
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: this.name }, ...more },
      query,
    );

  statusOf = async (name: string): Promise<Members> =>
    (await this.#api.get(this.budgets(name))).at("status") as Members;
  podOf = (name: string): Promise<Answer> => this.#api.get(this.pods(name));
}

const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

describe.each(["neutral", "kubernetes"])("a budget of Pods in the %s dialect", (dialect) => {
  const api = serve({ dialect });

  test("KIND-PodDisruptionBudget-4: a PUT says which version it changes, where the dialect asks for that", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", {});
    const { body } = await api.get(ns.budgets("b"));
    const { resourceVersion: _, ...metadata } = body["metadata"] as Members;
    const answer = await api.put(ns.budgets("b"), { ...body, metadata });
    expect(answer.status).toBe(dialect === "kubernetes" ? 422 : 200);
    expect((await api.put(ns.budgets("b"), (await api.get(ns.budgets("b"))).body)).status).toBe(200);
  });

  test("KIND-PodDisruptionBudget-5: a strategic merge replaces the selector, a merge patch merges it; it has one owner", async () => {
    const ns = await Namespace.of(api);
    const spec = (matchLabels: object) => ({ spec: { selector: { matchLabels } } });
    await ns.budget("b", {});
    expect((await api.strategic(ns.budgets("b"), spec({ b: "1" }))).at("spec.selector")).toEqual({
      matchLabels: { b: "1" },
    });
    const merged = await api.merge(ns.budgets("b"), spec({ d: "1" }), { fieldManager: "merger" });
    expect(merged.at("spec.selector")).toEqual({ matchLabels: { b: "1", d: "1" } });
    const head = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };
    const applied = await api.apply(ns.budgets("b"), "one", { ...head, ...spec({ e: "1" }) });
    expect(applied.status).toBe(409);
    expect(applied.at("details.causes")).toMatchObject([{ field: ".spec.selector" }]);
  });

  test("KIND-PodDisruptionBudget-7: an Eviction names the Pod of its path", async () => {
    const ns = await Namespace.of(api);
    await ns.pod("x");
    expect((await ns.evict("x", { metadata: { name: "y" } })).status).toBe(400);
    expect((await ns.evict("x", { metadata: {} })).status).toBe(400);
    expect((await ns.evict("x", { apiVersion: "v1", kind: "Pod" })).status).toBe(400);
    expect((await ns.evict("x", { metadata: { name: "x", namespace: "other" } })).status).toBe(400);
    expect((await api.get(ns.pods("x", "eviction"))).status).toBe(405);
    expect((await ns.evict("nobody")).status).toBe(404);
    expect((await ns.evict("x", { apiVersion: "policy/v1beta1" })).body).toEqual(SUCCESS);
  });

  test("KIND-PodDisruptionBudget-8: the Pod says why it goes, and goes as the options say", async () => {
    const ns = await Namespace.of(api);
    await ns.pod("x");
    expect(await ns.evict("x", { deleteOptions: { gracePeriodSeconds: 7 } })).toMatchObject({
      status: 201,
      body: SUCCESS,
    });
    const pod = await ns.podOf("x");
    expect(pod.at("metadata")).toMatchObject({ deletionGracePeriodSeconds: 7 });
    expect(pod.at("status.conditions")).toMatchObject([
      { type: "Ready" },
      { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastProbeTime: null },
    ]);
    await ns.evict("x", { deleteOptions: { gracePeriodSeconds: 0 } });
    expect((await ns.podOf("x")).status).toBe(404);
  });

  test("KIND-PodDisruptionBudget-8: preconditions, and options that are refused", async () => {
    const ns = await Namespace.of(api);
    await ns.pod("x");
    const withOptions = (deleteOptions: object, query: Query = {}) => ns.evict("x", { deleteOptions }, query);
    const { uid, resourceVersion } = await ns.podOf("x");
    for (const preconditions of [{ uid: "other" }, { resourceVersion: "1" }]) {
      expect((await withOptions({ preconditions })).status).toBe(409);
      expect((await withOptions({ preconditions }, { dryRun: "All" })).status).toBe(409);
    }
    const refused = await withOptions({ propagationPolicy: "Maybe" });
    expect([refused.status, refused.at("details.causes.0.field")]).toEqual([422, "propagationPolicy"]);
    expect((await withOptions({ dryRun: ["Some"] })).status).toBe(422);
    const unread = await withOptions({ ignoreStoreReadErrorWithClusterBreakingPotential: true });
    expect([unread.status, unread.at("details.causes.0.field")]).toEqual([
      422,
      "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential",
    ]);
    expect((await withOptions({ dryRun: ["All"], preconditions: { uid, resourceVersion } })).status).toBe(201);
    expect((await ns.podOf("x")).at("metadata")).toMatchObject({ resourceVersion });
    expect((await withOptions({ preconditions: { uid, resourceVersion } })).status).toBe(201);
    expect((await ns.podOf("x")).at("metadata.deletionTimestamp")).toBeDefined();
  });

  test.each([
    ["Pending", { phase: "Pending", conditions: [] }],
    ["Succeeded", { phase: "Succeeded" }],
    ["Failed", { phase: "Failed" }],
  ])("KIND-PodDisruptionBudget-9: a Pod that is %s needs no budget", async (_phase, status) => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 0 });
    await ns.pod("x", status);
    expect((await ns.evict("x", {}, { dryRun: "All" })).body).toEqual(SUCCESS);
    expect((await ns.podOf("x")).at("metadata.deletionTimestamp")).toBeUndefined();
    expect((await ns.evict("x")).body).toEqual(SUCCESS);
    expect((await ns.statusOf("b"))["disruptedPods"]).toBeUndefined();
  });

  test("KIND-PodDisruptionBudget-2, KIND-PodDisruptionBudget-9: nor does one that goes already, or that none selects", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 0 });
    await ns.budget("none", { disruptionsAllowed: 0 }, { selector: null });
    await ns.pod("x");
    await api.delete(ns.pods("x"));
    expect((await ns.evict("x")).status).toBe(201);
    await ns.pod("other", {}, { app: "b" });
    expect((await ns.evict("other")).status).toBe(201);
    await ns.budget("all", { disruptionsAllowed: 0 }, { selector: {} });
    await ns.pod("another", {}, { app: "b" });
    expect((await ns.evict("another")).status).toBe(429);
  });

  test("KIND-PodDisruptionBudget-10: more than one budget is an error", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 1 });
    await ns.budget("c", { disruptionsAllowed: 1 });
    await ns.pod("x");
    const answer = await ns.evict("x");
    expect([answer.status, answer.at("message")]).toEqual([500, expect.stringContaining("found b, c")]);
    expect(answer.at("reason")).toBeUndefined();
  });

  test("KIND-PodDisruptionBudget-11: a budget that was not counted since it changed has a time to try again", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 1 });
    await ns.pod("x");
    await api.merge(ns.budgets("b"), { spec: { minAvailable: 2 } });
    const answer = await ns.evict("x");
    expect(answer).toMatchObject({ status: 429, body: { reason: "TooManyRequests" } });
    expect(answer.headers.get("retry-after")).toBe("10");
    expect(answer.at("details")).toMatchObject({ retryAfterSeconds: 10, causes: [{ reason: "DisruptionBudget" }] });
    expect((await ns.podOf("x")).at("metadata.deletionTimestamp")).toBeUndefined();
    await ns.count("b", { observedGeneration: 2 });
    expect((await ns.evict("x")).status).toBe(201);
  });

  test("KIND-PodDisruptionBudget-12: a budget without disruptions says why it has none", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
    await ns.pod("x");
    const why = async (status: object): Promise<string> => {
      await ns.count("b", status);
      const answer = await ns.evict("x");
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, null]);
      expect(answer.at("details")).toEqual({ causes: [{ reason: "DisruptionBudget", message: expect.any(String) }] });
      return String(answer.at("details.causes.0.message"));
    };
    const condition = { type: "DisruptionAllowed", status: "False", lastTransitionTime: TIME, message: "M" };
    expect(await why({})).toContain("needs 1 healthy pods and has 1");
    expect(await why({ currentHealthy: 2 })).toContain("allows none");
    expect(await why({ conditions: [{ ...condition, reason: "R" }] })).toContain("allows none (R): M");
    expect(await why({ conditions: [{ ...condition, reason: "SyncFailed" }] })).toContain("could not be counted: M");
  });

  test("KIND-PodDisruptionBudget-12: a budget with more than 2000 disrupted pods gives no more", async () => {
    const ns = await Namespace.of(api);
    const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, TIME]));
    await ns.budget("b", { disruptionsAllowed: 1, disruptedPods: pods(2001) });
    await ns.pod("x");
    expect((await ns.evict("x")).status).toBe(403);
    await ns.count("b", { disruptedPods: { p0: null } });
    expect((await ns.evict("x")).status).toBe(201);
  });

  test("KIND-PodDisruptionBudget-13: one less is allowed, and the Pod is named, before it is deleted", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 });
    for (const name of ["x", "y", "z"]) await ns.pod(name);
    expect((await ns.evict("x", {}, { dryRun: "All" })).body).toEqual(SUCCESS);
    expect(await ns.statusOf("b")).toMatchObject({ disruptionsAllowed: 2 });
    expect((await ns.evict("x")).body).toEqual(SUCCESS);
    const disruptedPods = { x: expect.any(String) };
    expect(await ns.statusOf("b")).toMatchObject({ disruptionsAllowed: 1, disruptedPods });
    expect((await ns.evict("y")).body).toEqual(SUCCESS);
    expect(await ns.statusOf("b")).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { ...disruptedPods, y: expect.any(String) },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods", observedGeneration: 1 }],
    });
    expect((await ns.evict("z")).status).toBe(429);
    expect((await ns.evict("z", {}, { dryRun: "All" })).status).toBe(429);
    expect((await ns.podOf("z")).at("metadata.deletionTimestamp")).toBeUndefined();
  });

  test("KIND-PodDisruptionBudget-13: evictions at the same time never take more than is allowed", async () => {
    const ns = await Namespace.of(api);
    const names = Array.from({ length: 8 }, (_, i) => `x${i}`);
    for (const name of names) await ns.pod(name);
    await ns.budget("b", { disruptionsAllowed: 3 });
    const answers = await Promise.all(names.map((name) => ns.evict(name)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 429, 429, 429, 429, 429,
    ]);
    expect(Object.keys((await ns.statusOf("b"))["disruptedPods"] as object)).toHaveLength(3);
  });

  test("KIND-PodDisruptionBudget-14: a Pod that is not Ready is not counted where its budget does not wait for it", async () => {
    const ns = await Namespace.of(api);
    await ns.budget("b", { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 });
    await ns.pod("x", { conditions: [] });
    expect((await ns.evict("x")).status).toBe(429);
    await ns.count("b", { currentHealthy: 0, desiredHealthy: 0 });
    expect((await ns.evict("x")).status).toBe(429);
    await ns.count("b", { currentHealthy: 1, desiredHealthy: 1 });
    expect((await ns.evict("x", {}, { dryRun: "All" })).status).toBe(201);
    expect((await ns.evict("x")).status).toBe(201);
    expect((await ns.statusOf("b"))["disruptedPods"]).toBeUndefined();
    await ns.pod("y", { conditions: [] });
    await ns.count("b", { currentHealthy: 0 });
    await api.merge(ns.budgets("b"), { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
    expect((await ns.evict("y")).status).toBe(201);
  });

  test("DEC-34: a namespace that is being deleted takes no evictions, and says so", async () => {
    const ns = await Namespace.of(api);
    await ns.pod("x");
    await api.merge(ns.pods("x"), { metadata: { finalizers: ["example.com/f"] } });
    await api.delete(`/api/v1/namespaces/${ns.name}`);
    const answer = await ns.evict("x");
    expect([answer.status, answer.at("details.causes.0.reason")]).toEqual([403, "NamespaceTerminating"]);
  });
});
