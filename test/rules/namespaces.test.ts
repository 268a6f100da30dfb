/** Namespaces: SUP-1, POL-5, AMB-50, DEC-34. */
import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const NAMESPACES = "/api/v1/namespaces";
const maps = (ns: string): string => `${NAMESPACES}/${ns}/configmaps`;

test("SUP-1, POL-5, AMB-50, DEC-34: a create in a missing namespace creates it", async () => {
  const ns = fresh("ns");
  expect((await api.get(`${NAMESPACES}/${ns}`)).status).toBe(404);
  expect((await api.post(maps(ns), { metadata: { name: "a" } })).status).toBe(201);
  const made = await api.get(`${NAMESPACES}/${ns}`);
  expect(made.body).toMatchObject({ kind: "Namespace", metadata: { name: ns }, status: { phase: "Active" } });
});

test("POL-5: so does an apply that creates, and a PUT that creates", async () => {
  const [one, two] = [fresh("ns"), fresh("ns")];
  expect((await api.apply(`${maps(one)}/a`, "m", { apiVersion: "v1", kind: "ConfigMap" })).status).toBe(201);
  expect((await api.get(`${NAMESPACES}/${one}`)).status).toBe(200);
  const candidates = `/apis/coordination.svc.io/v1beta1/namespaces/${two}/leasecandidates/c`;
  const spec = { leaseName: "l", binaryVersion: "1.0.0", strategy: "x.io/y" };
  expect((await api.put(candidates, { metadata: { name: "c" }, spec })).status).toBe(201);
  expect((await api.get(`${NAMESPACES}/${two}`)).status).toBe(200);
});

test("POL-5: reads, dry runs and refused creates make none", async () => {
  const ns = fresh("ns");
  await api.get(maps(ns));
  await api.get(`${maps(ns)}/a`);
  await api.post(maps(ns), { metadata: { name: "a" } }, { dryRun: "All" });
  await api.post(maps(ns), { metadata: { name: "A" } });
  await api.merge(`${maps(ns)}/a`, {});
  await api.delete(`${maps(ns)}/a`);
  expect((await api.get(`${NAMESPACES}/${ns}`)).status).toBe(404);
});

test("DEC-2, POL-5: a name that no namespace can have is 422", async () => {
  for (const ns of ["A_b", "a.b", "-a", "x".repeat(64)]) {
    expect((await api.post(maps(ns), { metadata: { name: "a" } })).status).toBe(422);
  }
});

test("SUP-1: namespaces are created, read, listed, changed, watched and deleted", async () => {
  const name = fresh("ns");
  const made = await api.post(NAMESPACES, { metadata: { name } });
  expect([made.status, made.at("status.phase")]).toEqual([201, "Active"]);
  expect((await api.get(NAMESPACES)).names).toEqual(expect.arrayContaining(["default", name]));
  expect((await api.merge(`${NAMESPACES}/${name}`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  using watch = await api.watch(NAMESPACES, { fieldSelector: `metadata.name=${name}` });
  expect(await watch.take(1)).toEqual([`ADDED ${name}`]);
  expect((await api.delete(`${NAMESPACES}/${name}`)).status).toBe(200);
  expect((await api.until(`${NAMESPACES}/${name}`, (answer) => answer.status === 404)).status).toBe(404);
});

test("SUP-1, DEC-34: deleting a namespace removes what is in it", async () => {
  const ns = fresh("ns");
  await api.post(maps(ns), { metadata: { name: "a" } });
  await api.post(`${NAMESPACES}/${ns}/secrets`, { metadata: { name: "b" } });
  await api.delete(`${NAMESPACES}/${ns}`);
  expect((await api.until(`${NAMESPACES}/${ns}`, (answer) => answer.status === 404)).status).toBe(404);
  expect((await api.get(`${maps(ns)}/a`)).status).toBe(404);
  expect((await api.get(`${NAMESPACES}/${ns}/secrets`)).names).toEqual([]);
});

describe.each([
  ["neutral", api],
  ["kubernetes", kube],
] as const)("a namespace that is being deleted (%s)", (_, server) => {
  test("DEC-34: refuses creates with 403, but no other writes", async () => {
    const ns = fresh("ns");
    await server.post(NAMESPACES, { metadata: { name: ns } });
    await server.post(maps(ns), { metadata: { name: "held", finalizers: ["x.io/hold"] } });
    await server.delete(`${NAMESPACES}/${ns}`);
    const going = await server.get(`${NAMESPACES}/${ns}`);
    expect([going.status, going.at("status.phase")]).toEqual([200, "Terminating"]);
    const apply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } };
    for (const refused of [
      await server.post(maps(ns), { metadata: { name: "new" } }),
      await server.post(maps(ns), { metadata: { name: "new" } }, { dryRun: "All" }),
      await server.apply(`${maps(ns)}/new`, "m", apply),
    ]) {
      expect([refused.status, refused.body["reason"]]).toEqual([403, "Forbidden"]);
      expect(refused.causes).toEqual(["NamespaceTerminating metadata.namespace"]);
    }
    const held = `${maps(ns)}/held`;
    expect((await server.merge(held, { data: { k: "v" } })).status).toBe(200);
    expect((await server.apply(held, "m", { ...apply, metadata: { name: "held", labels: { a: "b" } } })).status).toBe(
      200,
    );
    expect((await server.merge(held, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await server.until(`${NAMESPACES}/${ns}`, (answer) => answer.status === 404)).status).toBe(404);
  });
});

describe("kubernetes dialect", () => {
  test("AMB-50, POL-5: a create in a missing namespace is 404", async () => {
    const answer = await kube.post(maps("missing"), { metadata: { name: "a" } });
    expect([answer.status, answer.body["reason"]]).toEqual([404, "NotFound"]);
    expect(answer.at("details")).toMatchObject({ name: "missing", kind: "namespaces" });
  });

  test("POL-5: default, kube-system and kube-public exist and cannot be deleted; no delete collection", async () => {
    for (const name of ["default", "kube-system", "kube-public"]) {
      expect((await kube.get(`${NAMESPACES}/${name}`)).status).toBe(200);
      expect((await kube.delete(`${NAMESPACES}/${name}`)).status).toBe(403);
    }
    expect((await kube.delete(NAMESPACES)).status).toBe(405);
  });
});
