/** Whatever a kind is: a body that says nothing, or next to nothing, is refused or taken, and never a fault of the server's. */
import { expect, test } from "vitest";
import { serve } from "./api.ts";

interface Served {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const BODIES: readonly object[] = [
  {},
  { metadata: null, spec: null },
  { metadata: {}, spec: {} },
  { spec: { template: {} } },
  { spec: { template: { metadata: {}, spec: {} }, selector: {} } },
  { metadata: { generateName: "a-" } },
  { metadata: { name: "a" } },
  { metadata: { name: "b" }, spec: {}, status: {} },
  { metadata: { name: "c" }, spec: { template: { spec: { containers: [{}] } } } },
];

for (const dialect of ["neutral", "kubernetes"] as const) {
  const api = serve({ dialect, "enable-admission-plugins": "ResourceQuota,ServiceAccount,LimitRanger,Priority" });

  test(`bodies of next to nothing are no fault of the server's, for every kind (${dialect})`, async () => {
    const groups = (await api.get("/apis")).at("groups") as { versions: { groupVersion: string }[] }[];
    const places = ["/api/v1", ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`))];
    const faults: string[] = [];
    let asked = 0;
    for (const place of places) {
      const resources = (await api.get(place)).at("resources") as readonly Served[];
      for (const { name, namespaced, verbs } of resources.filter((one) => one.verbs.includes("create"))) {
        if (name.includes("/")) continue;
        const path = `${place}/${namespaced ? "namespaces/default/" : ""}${name}`;
        for (const body of BODIES) {
          const ways = [
            () => api.post(path, body, { dryRun: "All" }),
            ...(verbs.includes("update") ? [() => api.put(`${path}/a`, body)] : []),
            ...(verbs.includes("patch") ? [() => api.merge(`${path}/a`, body)] : []),
          ];
          for (const ask of ways) {
            const { status, text } = await ask();
            asked++;
            if (status >= 500) faults.push(`${path} ${JSON.stringify(body)}: ${text.slice(0, 200)}`);
          }
        }
        await api.post(path, { metadata: { name: "a" } });
      }
    }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(1000);
  });
}
