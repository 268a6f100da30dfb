/**
 * What bench/explore.ts explores: a controller of five writes. A Shop gets a ConfigMap, a Secret, a Service and a Deployment, then its
 * status. A user makes a shop, changes it and deletes it.
 *
 * @module
 */
import { type Manifest, defineKind } from "../../src/client/index.ts";
import { ConfigMap, Deployment, Secret, Service } from "../../src/client/kinds/index.ts";
import { type Controller, defineController } from "../../src/runtime/index.ts";
import { defineExploration } from "../../src/testing/explore/explored.ts";

const names = { kind: "Shop", plural: "shops" } as const;
const named = { group: "bench.example.com", version: "v1", scope: "Namespaced", ...names } as const;
const spec = {
  type: "object",
  required: ["host", "size"],
  properties: { host: { type: "string" }, size: { type: "integer", minimum: 0, maximum: 5 } },
} as const;
const status = {
  type: "object",
  properties: { host: { type: "string" }, size: { type: "integer" } },
} as const;
const Shop = defineKind({ ...named, spec, status });

const definition: Manifest = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${named.plural}.${named.group}` },
  spec: {
    group: named.group,
    scope: named.scope,
    names,
    versions: [
      {
        name: named.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec, status } } },
        subresources: { status: {} },
      },
    ],
  },
};

const shops = (): Controller =>
  defineController({
    name: "shops",
    for: Shop,
    owns: [ConfigMap, Secret, Service, Deployment],
    async reconcile({ object, apply, status: report }) {
      const { name } = object.metadata;
      const { host, size } = object.spec;
      const labels = { app: name };
      await apply(ConfigMap, { metadata: { name: `${name}-settings` }, data: { host } });
      await apply(Secret, { metadata: { name: `${name}-login` }, stringData: { user: host } });
      await apply(Service, { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } });
      const containers = [{ name: "web", image: "registry.example.com/web:1" }];
      const template = { metadata: { labels }, spec: { containers } };
      await apply(Deployment, {
        metadata: { name },
        spec: { replicas: size, selector: { matchLabels: labels }, template },
      });
      await report({ host, size });
    },
  });

const ofShop = { apiVersion: `${named.group}/${named.version}`, kind: named.kind };
const web = { ...ofShop, name: "web" };

export default defineExploration({
  scenario: {
    name: "a shop",
    start: [definition],
    steps: [
      { apply: { ...ofShop, metadata: { name: "web" }, spec: { host: "a.example.com", size: 1 } } },
      { patch: { ...web, with: { spec: { host: "b.example.com", size: 2 } } } },
      { delete: web },
    ],
  },
  controllers: shops,
});
