import { expect, test } from "vitest";
import type { ListRoute } from "../../state/route.ts";
import {
  completeLabels,
  isFiltered,
  kubectlLine,
  labelsOf,
  nextSort,
  shellWord,
  windowList,
  withFilter,
} from "./filters.ts";

const PODS: ListRoute = { view: "list", group: "", version: "v1", resource: "pods" };

test("every filter of a URL reaches the window", () => {
  expect(windowList(PODS, undefined)).toEqual({ group: "", version: "v1", resource: "pods" });
  expect(
    windowList(
      { ...PODS, namespace: "a", labels: "b", fields: "c", name: "d", text: "e", sort: "Age", desc: true },
      "7",
    ),
  ).toEqual({
    group: "",
    version: "v1",
    resource: "pods",
    namespace: "a",
    labelSelector: "b",
    fieldSelector: "c",
    name: "d",
    text: "e",
    sort: { column: "Age", descending: true },
    at: "7",
  });
});

test("a header sorts up, down, and not any more", () => {
  const up = nextSort(PODS, "Age");
  expect(up).toEqual({ sort: "Age" });
  const down = nextSort({ ...PODS, ...up }, "Age");
  expect(down).toEqual({ sort: "Age", desc: true });
  expect(nextSort({ ...PODS, ...down }, "Age")).toEqual({});
  expect(nextSort({ ...PODS, ...down }, "Name")).toEqual({ sort: "Name" });
});

test("a filter that is emptied is left out, and the core group stays", () => {
  expect(withFilter({ ...PODS, name: "a", desc: true }, { name: undefined, desc: false, text: "x" })).toEqual({
    ...PODS,
    text: "x",
  });
  expect(isFiltered({ namespace: "a" })).toBe(false);
  expect(isFiltered({ text: "a" })).toBe(true);
});

test("the command line prints the same list, and says what it cannot", () => {
  const options = { namespaced: true, wide: false };
  expect(kubectlLine(PODS, options)).toEqual({ line: "kubectl get pods -A", differs: [] });
  expect(
    kubectlLine(
      {
        view: "list",
        group: "apps",
        version: "v1",
        resource: "deployments",
        namespace: "a",
        labels: "app in (a,b)",
        fields: "metadata.name=x",
      },
      { namespaced: true, wide: true },
    ).line,
  ).toBe("kubectl get deployments.v1.apps -n a -l 'app in (a,b)' --field-selector metadata.name=x -o wide");
  expect(kubectlLine({ ...PODS, sort: "Age", desc: true }, options)).toEqual({
    line: "kubectl get pods -A --sort-by=.metadata.creationTimestamp",
    differs: [],
  });
  expect(kubectlLine({ ...PODS, sort: "Name", desc: true }, options).differs).toEqual([
    "kubectl sorts in the other direction",
  ]);
  expect(kubectlLine({ ...PODS, sort: "Status" }, options).differs).toEqual([
    "kubectl does not sort by the column Status",
  ]);
  const named = kubectlLine({ ...PODS, name: "it's; rm -rf" }, { ...options, at: "5" });
  expect(named.line).toBe(`kubectl get pods -A | grep -iF -- 'it'\\''s; rm -rf'`);
  expect(named.differs).toEqual(["grep looks for the name in the whole line", "kubectl prints the list as it is now"]);
});

test("a word is quoted where a shell would read it", () => {
  expect(shellWord("a.b/c:d=e,f")).toBe("a.b/c:d=e,f");
  for (const text of ["", "a b", "$(x)", "`x`", "a\nb", "*", "~", "!x"]) expect(shellWord(text)).toBe(`'${text}'`);
});

test("labels that were seen complete keys, then values", () => {
  const seen = labelsOf([
    { metadata: { labels: { app: "web", tier: "front" } } },
    { metadata: { labels: { app: "worker" } } },
    { metadata: {} },
  ]);
  const texts = (text: string): string[] => completeLabels(text, seen).map((one) => one.text);
  expect(texts("")).toEqual(["app=", "tier="]);
  expect(texts("ti")).toEqual(["tier="]);
  expect(texts("app=w")).toEqual(["app=web", "app=worker"]);
  expect(texts("app=web")).toEqual([]);
  expect(texts("app!=wo")).toEqual(["app!=worker"]);
  expect(texts("app=web,t")).toEqual(["app=web,tier="]);
  expect(texts("app=web, tier=")).toEqual(["app=web,tier=front"]);
  expect(texts("__proto__=")).toEqual([]);
});
