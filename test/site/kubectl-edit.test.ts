/**
 * What the small kubectl does beside the commands that `kubectl.test.ts` compares: its editor opens again after an error, its context
 * has a namespace, and what a page cannot have says why.
 *
 * @module
 */
import { expect, test } from "vitest";
import { kubectl } from "../../site/src/kubectl/kubectl.ts";
import { type Edit, type Files, Shell } from "../../site/src/shell/shell.ts";
import { nodeTransport } from "../../src/client/index.ts";
import { createCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";

const NO_FILES: Files = { read: () => undefined, write: () => {}, remove: () => false, list: () => [] };

/** A shell with the small kubectl over a cluster, and an editor that saves one text after the other. */
async function openShell(edits: readonly ((text: string) => string | undefined)[] = []) {
  const cluster = await createCluster({ clock: "system" });
  const { url, ca, token } = await cluster.listen();
  const opened: string[] = [];
  const left = [...edits];
  const edit: Edit = ({ text }) => {
    opened.push(text);
    return Promise.resolve(left.shift()?.(text));
  };
  const shell = new Shell(
    NO_FILES,
    new Map([["kubectl", kubectl(nodeTransport({ url, ca, token }), systemClock)]]),
    edit,
  );
  return {
    opened,
    async run(text: string): Promise<string> {
      let printed = "";
      const code = await shell.run(text, (part) => (printed += part), new AbortController().signal);
      return `${printed}[${code}]`;
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

test("the editor opens again with what the server refuses, and with a text that is no YAML", async () => {
  await using shell = await openShell([
    (text) => text.replace("a: red", "a: [1"),
    (text) => text.replace("a: [1", "'a/b/c': red"),
    (text) => text.replace("'a/b/c': red", "b: blue"),
  ]);
  await shell.run("kubectl create configmap web --from-literal=a=red");
  expect(await shell.run("kubectl edit configmap web")).toBe("configmap/web edited\n[0]");
  const [first, second, third] = shell.opened;
  expect(first).toMatch(/^# Please edit the object below/);
  expect(second).toMatch(/^# The edited file had a syntax error: /m);
  expect(second).toContain("a: [1");
  expect(third).toMatch(/^# The ConfigMap "web" is invalid: data\[a\/b\/c\]/m);
  expect(third).not.toContain("syntax error");
  expect(await shell.run("kubectl get configmap web -o jsonpath={.data}")).toBe('{"b":"blue"}[0]');
});

test("an edit that is left, emptied, or saves the same error again changes nothing", async () => {
  await using shell = await openShell([
    () => undefined,
    () => "# nothing\n",
    (text) => text.replace("name: web", "name: other"),
    (text) => text,
  ]);
  await shell.run("kubectl create configmap web --from-literal=a=red");
  expect(await shell.run("kubectl edit configmap web")).toBe("Edit cancelled, no changes made.\n[0]");
  expect(await shell.run("kubectl edit configmap web")).toBe("Edit cancelled, saved file was empty.\n[0]");
  expect(await shell.run("kubectl edit configmap web")).toBe(
    "error: Edit cancelled, no valid changes were saved.\n[1]",
  );
  expect(shell.opened.at(-1)).toContain("# At least one of apiVersion, kind and name was changed");
  expect(await shell.run("kubectl get configmap web -o jsonpath={.data}")).toBe('{"a":"red"}[0]');
});

test("the namespace of the context is that of commands without one", async () => {
  await using shell = await openShell();
  await shell.run("kubectl create namespace shop");
  expect(await shell.run("kubectl config set-context --current --namespace=shop")).toBe(
    'Context "page" modified.\n[0]',
  );
  expect(
    await shell.run("kubectl create configmap web; kubectl get configmap web -o jsonpath={.metadata.namespace}"),
  ).toBe("configmap/web created\nshop[0]");
  expect(await shell.run("kubectl config use-context other")).toContain('no context exists with the name: "other"');
});

test("what a page cannot have says why", async () => {
  await using shell = await openShell();
  expect(await shell.run("kubectl port-forward pod/web 8080:80")).toBe(
    "error: the kubectl of this page has no port-forward: it listens on a port of your machine, and a page can listen on none; exec and logs are here\n[1]",
  );
  expect(await shell.run("kubectl constructor")).toBe('error: unknown command "constructor" for "kubectl"\n[1]');
});
