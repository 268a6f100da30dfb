import type { Story } from "../story.ts";
import { CONFIG_MAP, claim, configMap, storageClass, withUnknown } from "./manifests.ts";

const labelled = (name: string, colour: string): string => configMap(name, { colour }, { app: "x" });

/** Commands that bring objects to what a file says. */
export const APPLYING: readonly Story[] = [
  {
    name: "apply (client-side)",
    steps: [
      { run: "apply -f -", stdin: CONFIG_MAP, out: /^configmap\/web created\n$/ },
      { run: "apply -f -", stdin: CONFIG_MAP, out: /^configmap\/web unchanged\n$/ },
      { run: "apply -f -", stdin: configMap("web", { colour: "blue" }), out: /^configmap\/web configured\n$/ },
      { run: "get cm web -o 'jsonpath={.data}'", out: /^{"colour":"blue"}$/ },
      {
        run: "apply -f - --dry-run=server",
        stdin: configMap("web", { colour: "green" }),
        out: "configured (server dry run)",
      },
      { run: "get cm web -o 'jsonpath={.data}'", out: /^{"colour":"blue"}$/ },
      { run: "apply view-last-applied cm/web", out: "colour: blue" },
      { run: "apply -f -", stdin: claim("c"), out: "created" },
      { run: "apply -f -", stdin: claim("c", { a: "b" }), out: "configured" },
      { run: "apply -f -", stdin: storageClass(), out: "created" },
      { run: "apply -f -", stdin: storageClass({ a: "b" }), out: "configured" },
      { run: "delete storageclass.storage.{domain} {ns}" },
      {
        run: "apply -f -",
        stdin: withUnknown("web"),
        code: 1,
        err: /unknown field "colour"/,
      },
    ],
  },
  {
    name: "apply --server-side, conflicts, --force-conflicts",
    steps: [
      {
        run: "apply --server-side -f - --field-manager=one",
        stdin: labelled("web", "red"),
        out: "configmap/web serverside-applied",
      },
      {
        run: "apply --server-side -f - --field-manager=two",
        stdin: labelled("web", "blue"),
        code: 1,
        err: /conflict with "one"[\s\S]*\.data\.colour/,
      },
      {
        run: "apply --server-side -f - --field-manager=two --force-conflicts",
        stdin: labelled("web", "blue"),
        out: "serverside-applied",
      },
      {
        run: "apply --server-side -f - --field-manager=one",
        stdin: configMap("web", {}, { app: "x" }),
        out: "serverside-applied",
      },
      { run: "get cm web -o 'jsonpath={.data.colour}'", out: /^blue$/ },
      { run: "apply --server-side --dry-run=server -f -", stdin: configMap("dry"), out: "(server dry run)" },
      { run: "get cm dry", code: 1, err: "NotFound" },
    ],
  },
  {
    name: "apply --server-side after client-side apply",
    steps: [
      { run: "apply -f -", stdin: configMap("web", { colour: "red", size: "3" }) },
      { run: "apply --server-side -f -", stdin: configMap("web", { colour: "blue" }), out: "serverside-applied" },
      { run: "get cm web -o 'jsonpath={.data}'", out: /^{"colour":"blue"}$/ },
      { run: "get cm web -o 'jsonpath={.metadata.managedFields[*].operation}' --show-managed-fields", out: "Apply" },
    ],
  },
  {
    name: "apply --prune --prune-allowlist",
    steps: [
      { run: "apply -f -", stdin: `${labelled("a", "red")}${labelled("b", "red")}` },
      {
        run: "apply -f - --prune -l app=x --prune-allowlist=core/v1/ConfigMap",
        stdin: labelled("a", "red"),
        out: ["configmap/a unchanged", "configmap/b pruned"],
      },
      { run: "get cm -o name -l app=x", out: /^configmap\/a\n$/ },
    ],
  },
  {
    name: "apply --prune --applyset (alpha)",
    steps: [
      {
        run: "apply -f - --prune --applyset=set",
        env: { KUBECTL_APPLYSET: "true" },
        stdin: `${labelled("a", "red")}${labelled("b", "red")}`,
        out: ["configmap/a", "configmap/b"],
      },
      {
        run: "apply -f - --prune --applyset=set",
        env: { KUBECTL_APPLYSET: "true" },
        stdin: labelled("a", "red"),
        out: "configmap/b pruned",
      },
      { run: "get secret set -o 'jsonpath={.metadata.labels}'", out: "applyset.kubernetes.io/id" },
    ],
  },
  {
    name: "apply -k, kustomize",
    steps: [
      { run: "kustomize {files}", out: "name: kept-web" },
      { run: "apply -k {files}", out: "configmap/kept-web created" },
      { run: "delete -k {files}", out: '"kept-web" deleted' },
    ],
    files: { "kustomization.yaml": "namePrefix: kept-\nresources: [web.yaml]\n", "web.yaml": CONFIG_MAP },
  },
  {
    name: "diff, diff --server-side",
    steps: [
      { run: "apply -f -", stdin: configMap("web", { colour: "red" }) },
      { run: "diff -f -", stdin: configMap("web", { colour: "red" }), out: /^$/ },
      {
        run: "diff -f -",
        stdin: configMap("web", { colour: "blue" }),
        code: 1,
        out: /-\s+colour: red[\s\S]*\+\s+colour: blue/,
      },
      { run: "diff -f -", stdin: configMap("new", { colour: "blue" }), code: 1, out: /\+\s+colour: blue/ },
      {
        run: "diff --server-side --force-conflicts -f -",
        stdin: configMap("web", { colour: "blue" }),
        code: 1,
        out: /\+\s+colour: blue/,
      },
      { run: "get cm web -o 'jsonpath={.data.colour}'", out: /^red$/ },
    ],
  },
];
