/**
 * `keelson who-can` and `keelson why-denied`: the executable against a server, with what a user types.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ClusterRole, Role, RoleBinding } from "../../src/client/kinds/index.ts";
import { World } from "../history/world.ts";

const GROUP = "rbac.authorization.k8s.io";
const at = (name: string) => ({ name, namespace: "default" });
const user = (name: string) => ({ kind: "User", apiGroup: GROUP, name });
const rule = (...verbs: readonly string[]) => ({ verbs, apiGroups: ["toys.example.com"], resources: ["balls"] });

let world: World;
beforeAll(async () => {
  world = await World.start();
  await world.resource(ClusterRole).create({ metadata: { name: "juggler" }, rules: [rule("get", "juggle")] });
  await world.resource(Role).create({ metadata: at("thrower"), rules: [{ ...rule("throw"), resourceNames: ["red"] }] });
  const bind = (name: string, kind: string, role: string, ...who: readonly string[]) =>
    world
      .resource(RoleBinding)
      .create({ metadata: at(name), roleRef: { apiGroup: GROUP, kind, name: role }, subjects: who.map(user) });
  await bind("jugglers", "ClusterRole", "juggler", "kim", "jane");
  await bind("throwers", "Role", "thrower", "kim");
});
afterAll(() => world.end());

const BALLS = "balls.toys.example.com";

test("who-can prints subjects, by which binding and which rule of which role", async () => {
  const { code, stdout } = await world.keelson(["who-can", "juggle", BALLS, "-n", "default"]);
  expect(code).toBe(0);
  expect(stdout.replaceAll(/ {2,}/g, "  ").split("\n")).toEqual([
    `who can juggle ${BALLS} in namespace default`,
    "SUBJECT  BINDING  ROLE  RULE",
    "Group system:masters  ClusterRoleBinding cluster-admin  ClusterRole cluster-admin  * of * (*)",
    "User kim  RoleBinding default/jugglers  ClusterRole juggler  get, juggle of balls (toys.example.com)",
    "User jane  RoleBinding default/jugglers  ClusterRole juggler  get, juggle of balls (toys.example.com)",
    "",
    "members of system:masters may do everything, whatever roles say",
    "",
  ]);
});

test("who-can -o json; paths are asked, too", async () => {
  const { stdout } = await world.keelson(["who-can", "get", "/metrics", "-o", "json"]);
  const { grants } = JSON.parse(stdout) as { grants: { role: { name: string } }[] };
  expect(grants.map(({ role }) => role.name)).toEqual(["cluster-admin", "system:monitoring"]);
});

test("why-denied prints what comes nearest, and what would help", async () => {
  const { stdout } = await world.keelson(["why-denied", "--as", "kim", "throw", BALLS, "blue", "-n", "default"]);
  expect(stdout.split("\n")).toEqual([
    `kim may not throw ${BALLS} blue in namespace default`,
    "  RoleBinding default/throwers gives Role default/thrower: throw of balls (toys.example.com) named red, and no others",
    "  RoleBinding default/jugglers gives ClusterRole juggler: get, juggle of balls (toys.example.com), not throw",
    "     -> kubectl create rolebinding cluster-admin-kim -n default --clusterrole=cluster-admin --user=kim",
    "",
  ]);
});

test("why-denied tells what allows it, and what an account would need", async () => {
  const { stdout } = await world.keelson(["why-denied", "--as", "jane", "juggle", BALLS, "-n", "default"]);
  expect(stdout).toContain("jane may juggle");
  expect(stdout).toContain("RoleBinding default/jugglers gives ClusterRole juggler: get, juggle of balls");
  const account = await world.keelson([
    "why-denied",
    "--as",
    "system:serviceaccount:default:robot",
    "juggle",
    BALLS,
    "-n",
    "default",
  ]);
  expect(account.stdout).toContain(
    "kubectl create rolebinding juggler-robot -n default --clusterrole=juggler --serviceaccount=default:robot",
  );
});

test("without --as it is about the current user", async () => {
  const { stdout } = await world.keelson(["why-denied", "delete", "nodes"]);
  expect(stdout).toContain(" may delete nodes");
  expect(stdout).toContain("members of system:masters may do everything");
});

test("a question that is none is refused", async () => {
  const { code, stderr } = await world.keelson(["who-can", "get", ".x"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("expected a kind such as pods")]);
});
