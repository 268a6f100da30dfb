/**
 * The page of configuration: every option, feature gate and controller of a server.
 *
 * @module
 */
import { OPTIONS, OPTION_KEYS, type OptionKey, envName } from "../../src/app/options/table.ts";
import { ADMISSION_PLUGINS, type PluginName, isChosen } from "../../src/admission/names.ts";
import { CONTROLLERS } from "../../src/controllers/names.ts";
import { type Dialect, kubernetes, neutral } from "../../src/meta/dialect.ts";
import { GATES, GATE_FACTS, gatesOf } from "../../src/meta/gates.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";
import { MADE, code, table } from "./markdown.ts";

/** The page. */
export function configurationPage(): [path: string, text: string] {
  const groups = [...new Set(OPTION_KEYS.map((key) => OPTIONS[key].group))].map((group) => {
    const keys = OPTION_KEYS.filter((key) => OPTIONS[key].group === group);
    return `## ${group}\n\n${table(["option", "values", "default", "what it does"], keys.map(rowOf))}`;
  });
  const text = [
    "# Configuration",
    MADE,
    INTRODUCTION,
    ...groups,
    gatesSection(),
    controllersSection(),
    admissionSection(),
  ];
  return ["docs/reference/configuration.md", `${text.join("\n\n")}\n`];
}

const INTRODUCTION = `All options of \`keelson serve\`. You can set each option in three ways; the first one in this
list has priority:

1. a flag: \`--event-ttl 2h\`;
2. an environment variable: \`KEELSON_EVENT_TTL=2h\`;
3. a key of the YAML file that \`--config\` or \`KEELSON_CONFIG\` names: \`event-ttl: 2h\`. Lists may be lists there, and feature
   gates a map.

A program gives them to [\`startServer\`](library/keelson.md#startserver) as values with types: \`{ eventTtl: "2h" }\`. An
unknown key is refused, and the error names the most similar known key. Durations are written as \`30s\`, \`90m\`, \`1h30m\` or \`2d\`.`;

function rowOf(key: OptionKey): string[] {
  const { type, default: preset, otherwise, about, also } = OPTIONS[key];
  const names = [`--${key}`, envName(key), ...(also === undefined ? [] : [`--${also}`])];
  const values = type.words.length > 0 && type.explain === undefined ? type.words.map(code).join(", ") : type.name;
  const given = preset === undefined || preset === "" ? "" : code(preset);
  return [names.map(code).join(" "), values, given || (otherwise ?? ""), about];
}

function gatesSection(): string {
  const on =
    (dialect: typeof neutral) =>
    (gate: (typeof GATES)[number]): string =>
      gatesOf(dialect)[gate] ? "on" : "off";
  const rows = GATES.map((gate) => {
    const { stage, about } = GATE_FACTS[gate];
    return [code(gate), stage, on(kubernetes)(gate), on(neutral)(gate), about];
  });
  const head = ["gate", "stage in Kubernetes 1.35", "kubernetes dialect", "neutral dialect", "fields and kinds"];
  return `## Feature gates

A feature gate enables a part of the API that is not stable yet: \`--feature-gates ImageVolume=false,StorageVersionMigrator=true\`.
While a gate is off, its fields are removed from writes (stored values stay), and its kinds are not served. The names are those of
Kubernetes.

${table(head, rows)}`;
}

function admissionSection(): string {
  const on = (name: PluginName, { rules }: Dialect): string => (isChosen(name, {}, rules) ? "on" : "off");
  const rows = Object.entries(ADMISSION_PLUGINS).map(([name, { about }]) => {
    const inKit = isChosen(name as PluginName, kitPlugins(), kubernetes.rules) ? "on" : "off";
    return [code(name), on(name as PluginName, kubernetes), on(name as PluginName, neutral), inKit, about];
  });
  return `## Admission plugins

Admission plugins may change or refuse a write before it is stored. They run in this order.
\`--enable-admission-plugins AlwaysPullImages,NodeRestriction\` runs those two as well, \`--disable-admission-plugins PodSecurity\` all
that run by default but that one. The names and, in the kubernetes dialect, the defaults are those of kube-apiserver.
\`NamespaceLifecycle\` always runs. A name that is not in this list is ignored, and the log reports it.

${table(["plugin", "kubernetes dialect", "neutral dialect", "testing kit", "what it does"], rows)}`;
}

function controllersSection(): string {
  const rows = Object.entries(CONTROLLERS).map(([name, about]) => [code(name), about]);
  return `## Controllers

\`--controllers namespace,event-expiry\` runs those two, \`--controllers=-event-expiry\` all but that one, \`--controllers none\` none.
There are no other controllers; [what is not here](limits.md) has what else a cluster does.

${table(["controller", "what it does"], rows)}`;
}
