import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { builtInControllers, chooseControllers, lifecycleControllers, shortName } from "./index.ts";
import { CONTROLLERS, isControllerChosen, ownName } from "./names.ts";
import { workloadControllers } from "./workloads/index.ts";

const signingCa = (): never => {
  throw new Error("nothing is signed here");
};
const settingsOf = (dialect: typeof kubernetes) => ({
  dialect,
  eventTtlMillis: 1000,
  caCertificate: "",
  signingCa,
  loadBalancerAddresses: ["192.0.2.0/24"],
});
const of = (dialect: typeof kubernetes) => builtInControllers(settingsOf(dialect));
const all = of(kubernetes);
const usual = all.usual.map(shortName);
/** With those that run only on request. */
const everyone = [...all.usual, ...all.onRequest].map(shortName);
const chosen = (names: readonly string[], among = all): string[] => chooseControllers(among, names).map(shortName);
const without = (...names: readonly string[]): string[] => usual.filter((name) => !names.includes(name));

const PROTECTIONS = ["pvc-protection", "pv-protection", "vac-protection"];

describe("chooseControllers", () => {
  test.each([
    [["*"], usual],
    [["none"], []],
    [[], []],
    [["event-expiry"], ["event-expiry"]],
    [
      ["root-ca", "namespace"],
      ["namespace", "root-ca"],
    ],
    [["-namespace"], without("namespace")],
    [["-namespace", "-root-ca"], without("namespace", "root-ca")],
    [["*", "-event-expiry"], without("event-expiry")],
    [["namespace", "-namespace"], []],
  ])("%j chooses %j", (names, expected) => {
    expect(chosen(names)).toEqual(expected);
  });

  test.each(["namespaces", "-namespaces", "--namespace", "all"])(
    "%s is refused with the names that there are",
    (name) => {
      expect(() => chosen([name])).toThrow(
        `expected --controllers to name some of ${everyone.join(", ")}, got "${name}"`,
      );
    },
  );
});

describe("names of kube-controller-manager", () => {
  test.each([
    ["deployment-controller", "deployment"],
    ["-replicationcontroller-controller", "-replicationcontroller"],
    ["garbage-collector-controller", "garbage-collector"],
    ["endpointslice-mirroring-controller", "endpointslicemirroring"],
    ["persistentvolume-attach-detach-controller", "attachdetach"],
    ["-podgc", "-pod-garbage-collector-controller"],
    ["horizontal-pod-autoscaler-controller", "horizontal-pod-autoscaling"],
    ["-horizontalpodautoscaling", "-horizontal-pod-autoscaling"],
    ["clusterrole-aggregation", "clusterrole-aggregation-controller"],
    ["taint-eviction-controller", "taint-eviction-controller"],
    ["namespace", "namespace"],
    ["*", "*"],
    ["no-such-controller", "no-such-controller"],
    ["toString", "toString"],
  ])("%s is %s", (name, own) => expect(ownName(name)).toBe(own));

  test("choose the same controllers as those here", () => {
    expect(chosen(["deployment-controller", "root-ca-certificate-publisher-controller"])).toEqual(
      chosen(["deployment", "root-ca"]),
    );
    expect(chosen(["*", "-deployment-controller"])).toEqual(without("deployment"));
    expect(isControllerChosen(["serviceaccount-controller"], "serviceaccount")).toBe(true);
    expect(isControllerChosen(["-serviceaccount-controller"], "serviceaccount")).toBe(false);
  });
});

test("a scheduler is not in the way of another one: it runs where it is named", () => {
  expect(chosen(["*"])).not.toContain("scheduler");
  expect(chosen(["*", "scheduler"])).toEqual([...usual, "scheduler"]);
  expect(chosen(["*", "scheduler"], of(neutral))).toContain("scheduler");
});

test("those of the lifecycle look after namespaces, what every namespace has, and Events", () => {
  expect(lifecycleControllers(settingsOf(kubernetes)).map(shortName)).toEqual([
    "namespace",
    "event-expiry",
    "serviceaccount",
    "root-ca",
  ]);
});

describe("in the neutral dialect", () => {
  const { usual: neutralUsual } = of(neutral);

  test("controllers that only clusters with pods need do not run", () => {
    const gone = usual.filter((name) => !neutralUsual.map(shortName).includes(name));
    expect(gone).toEqual([
      "serviceaccount",
      "root-ca",
      "serviceaccount-token",
      "node-lifecycle-controller",
      "ttl",
      ...workloadControllers(settingsOf(kubernetes)).map(shortName),
      ...PROTECTIONS,
    ]);
  });

  test("DEC-57: nothing is protected unless the protection is asked for", () => {
    expect(chosen(["*"], of(neutral))).not.toContain("pvc-protection");
    expect(chosen(["*", "pvc-protection"], of(neutral))).toContain("pvc-protection");
    expect(chosen(["-namespace"], of(neutral))).not.toContain("pvc-protection");
  });
});

test("every controller is known by its name before any is made", () => {
  expect(everyone.toSorted()).toEqual(Object.keys(CONTROLLERS).toSorted());
});
