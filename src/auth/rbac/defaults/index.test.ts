import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { gatesOf } from "../../../meta/gates.ts";
import type { NewObject } from "../../../schema/definition.ts";
import type { RuleForm } from "../rule.ts";
import type { Subject } from "./bindings.ts";
import { AUTOUPDATE, type DefaultObject, defaultRoles } from "./index.ts";

/** The gates of the recording. */
const GATES = gatesOf(kubernetes, {
  CoordinatedLeaderElection: true,
  ClusterTrustBundle: true,
  ClusterTrustBundleProjection: true,
  PodCertificateRequest: true,
  StorageVersionMigrator: true,
});

const RECORDED = JSON.parse(
  readFileSync(new URL("../../../../test/fixtures/rbac/defaults.json", import.meta.url), "utf8"),
) as Record<string, Record<string, object>>;

/** Objects as the recording has them: `plural`, then `name` or `namespace/name`. */
function inShort(objects: readonly DefaultObject[]): Record<string, Record<string, object>> {
  const short: Record<string, Record<string, object>> = {};
  for (const { resource, object } of objects) {
    const { namespace, name } = object.metadata;
    (short[resource.split(".")[0]!] ??= {})[namespace === undefined ? name! : `${namespace}/${name}`] =
      shortForm(object);
  }
  return short;
}

function shortForm(object: NewObject): object {
  const {
    metadata,
    rules,
    roleRef,
    subjects = [],
    aggregationRule,
  } = object as NewObject & {
    rules?: readonly RuleForm[] | null;
    roleRef?: Record<string, string>;
    subjects?: readonly Subject[];
    aggregationRule?: { clusterRoleSelectors: { matchLabels: Record<string, string> }[] };
  };
  const marks = (labels: Record<string, string>): string =>
    Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .toSorted()
      .join(" ");
  expect(metadata.annotations).toEqual({ [AUTOUPDATE]: "true" });
  return {
    labels: marks(metadata.labels!),
    ...(aggregationRule
      ? { gathers: aggregationRule.clusterRoleSelectors.map(({ matchLabels }) => marks(matchLabels)) }
      : {}),
    ...(roleRef
      ? { role: `${roleRef["kind"]}.${roleRef["apiGroup"]} ${roleRef["name"]}`, subjects: subjects.map(shortSubject) }
      : { rules: (rules ?? []).map(shortRule) }),
  };
}

const shortSubject = ({ kind, apiGroup, namespace, name }: Subject): string =>
  `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

const shortRule = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: RuleForm): string =>
  [verbs, apiGroups?.map((group) => group || "core"), resources, resourceNames, nonResourceURLs]
    .flatMap((list) => list?.join(",") ?? [])
    .join(" ");

const allRules = (objects: readonly DefaultObject[]): RuleForm[] =>
  objects.flatMap(({ object }) => (object["rules"] as readonly RuleForm[] | undefined) ?? []);

describe("default roles", () => {
  const defaults = defaultRoles({ dialect: kubernetes, gates: GATES });

  test("RBAC-55: they are equal to the recorded ones", () => {
    expect(Object.entries(RECORDED).map(([plural, objects]) => [plural, Object.keys(objects).length])).toEqual([
      ["clusterroles", 72],
      ["clusterrolebindings", 53],
      ["roles", 7],
      ["rolebindings", 7],
    ]);
    expect(inShort(defaults)).toEqual(RECORDED);
  });

  test("RBAC-55: rules of a feature gate exist only with the gate", () => {
    const namesWith = (gates: Parameters<typeof gatesOf>[1]): string[] =>
      defaultRoles({ dialect: kubernetes, gates: gatesOf(kubernetes, gates) }).map(
        ({ object }) => object.metadata.name!,
      );
    const bundles = "system:cluster-trust-bundle-discovery";
    expect(namesWith({ ClusterTrustBundle: false })).not.toContain(bundles);
    expect(namesWith({ ClusterTrustBundle: true }).filter((name) => name === bundles)).toHaveLength(2);
    expect(namesWith({ DRADeviceTaints: true })).toContain("system:controller:device-taint-eviction-controller");
  });

  test("RBAC-56: three roles are aggregated, each to the next", () => {
    const byName = inShort(defaults)["clusterroles"]!;
    expect(byName["view"]).toEqual({
      labels: "kubernetes.io/bootstrapping=rbac-defaults rbac.authorization.k8s.io/aggregate-to-edit=true",
      gathers: ["rbac.authorization.k8s.io/aggregate-to-view=true"],
      rules: [],
    });
  });

  test("CVE-2021-25740: no aggregated rule allows to redirect the traffic of a Service", () => {
    const gathered = defaults.filter(({ object }) =>
      Object.keys(object.metadata.labels ?? {}).some((label) => label.includes("/aggregate-to-")),
    );
    const rules = allRules(gathered).filter(({ resources }) =>
      resources?.some((resource) => ["*", "endpoints", "endpointslices"].includes(resource)),
    );
    expect(rules.map(({ verbs }) => verbs)).toEqual(Array(2).fill(["get", "list", "watch"]));
  });

  test("RBAC-55: the neutral dialect has its own names of groups, and no roles of namespaces that it does not have", () => {
    const ofNeutral = defaultRoles({ dialect: neutral, gates: gatesOf(neutral) });
    const groups = new Set(allRules(ofNeutral).flatMap(({ apiGroups }) => apiGroups ?? []));
    expect([...groups].filter((group) => group.endsWith(".svc.io")).toSorted()).toEqual([
      "coordination.svc.io",
      "events.svc.io",
      "storage.svc.io",
      "storagemigration.svc.io",
    ]);
    expect(groups).toContain("authorization.k8s.io");
    expect(groups).not.toContain("storage.k8s.io");
    expect(ofNeutral.every(({ object }) => object.metadata.namespace === undefined)).toBe(true);
  });
});
