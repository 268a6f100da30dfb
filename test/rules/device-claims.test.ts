import { describe, expect, test } from "vitest";
import { fresh, serve } from "./api.ts";

const GROUP = "/apis/resource.k8s.io/v1";
const R = { name: "r", exactly: { deviceClassName: "c" } };
const DEVICE = { driver: "d.example.com", pool: "p", device: "x" };

describe("claims to devices", () => {
  const api = serve({ dialect: "kubernetes" });
  const claims = (ns: string, ...below: string[]): string =>
    [`${GROUP}/namespaces/${ns}/resourceclaims`, ...below].join("/");
  const namespace = async (labels: object = {}): Promise<string> => {
    const name = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name, labels } });
    return name;
  };
  const ask = (requests: object[]) => ({ metadata: { name: "x" }, spec: { devices: { requests } } });

  test("access to devices that others have wants a label of the namespace, as it is now", async () => {
    const admin = [{ ...R, exactly: { ...R.exactly, adminAccess: true } }];
    const ns = await namespace();
    const refused = await api.post(claims(ns), ask(admin));
    expect([refused.status, refused.causes]).toEqual([
      422,
      ["FieldValueForbidden spec.devices.requests[0].adminAccess"],
    ]);
    const labels = { "resource.kubernetes.io/admin-access": "true" };
    await api.merge(`/api/v1/namespaces/${ns}`, { metadata: { labels } });
    expect((await api.post(claims(ns), ask(admin))).status).toBe(201);
    expect((await api.post(claims(await namespace(labels)), ask(admin))).status).toBe(201);
  });

  test("KIND-ResourceClaim-4: drivers that tell of devices own what they tell", async () => {
    const ns = await namespace();
    await api.post(claims(ns), ask([R]));
    const path = claims(ns, "x", "status");
    const results = [DEVICE, { ...DEVICE, device: "y" }].map((device) => ({ request: "r", ...device }));
    await api.merge(path, { status: { allocation: { devices: { results } } } });
    const apiVersion = "resource.k8s.io/v1";
    const tell = (manager: string, device: string, data: object) =>
      api.apply(path, manager, {
        apiVersion,
        kind: "ResourceClaim",
        metadata: { name: "x" },
        status: { devices: [{ ...DEVICE, device, data }] },
      });
    expect((await tell("a", "x", { n: 1 })).status).toBe(200);
    expect((await tell("b", "y", { n: 2 })).status).toBe(200);
    expect((await tell("b", "x", { n: 2 })).status).toBe(409);
    const told = await api.get(claims(ns, "x"));
    expect(told.at("status.devices")).toMatchObject([
      { device: "x", data: { n: 1 } },
      { device: "y", data: { n: 2 } },
    ]);
    const owners = told.at("metadata.managedFields") as { readonly manager: string }[];
    const owner = owners.find(({ manager }) => manager === "a");
    expect(owner).toMatchObject({
      subresource: "status",
      fieldsV1: {
        "f:status": {
          "f:devices": {
            'k:{"device":"x","driver":"d.example.com","pool":"p"}': {
              ".": {},
              "f:data": {},
              "f:device": {},
              "f:driver": {},
              "f:pool": {},
            },
          },
        },
      },
    });
  });
});
