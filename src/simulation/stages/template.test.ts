import { describe, expect, test } from "vitest";
import type { Value } from "../../value/value.ts";
import { functionsOf, isFunction } from "./functions.ts";
import { parseTemplate } from "./template.ts";

const FACTS = {
  now: "2026-01-01T00:00:00Z",
  startTime: "2026-01-01T00:00:00Z",
  version: "v1",
  nodeIP: (node?: string) => `ip of ${node ?? "it"}`,
  podIP: (node: string, hostNetwork: boolean) => `${node} ${hostNetwork}`,
  nodeName: "n",
  nodePort: 10250,
  random: () => 0.5,
};
const DATA: Value = {
  name: "p",
  list: ["a", "b"],
  map: { z: 1, y: { deep: true } },
  empty: [],
  zero: 0,
};
const render = (text: string): string => parseTemplate(text, isFunction)(DATA, functionsOf(FACTS));

describe("renders as Go does", () => {
  test.each([
    ["{{ .name }}", "p"],
    ["{{ .none }}", "<no value>"],
    ["{{ .none.deeper }}", "<no value>"],
    ["a {{- .name -}} b", "apb"],
    ["a {{/* a comment */}}b", "a b"],
    ["{{ if .list }}yes{{ else }}no{{ end }}", "yes"],
    ["{{ if .empty }}yes{{ else if .zero }}zero{{ else }}no{{ end }}", "no"],
    ["{{ range .list }}<{{ . }}>{{ end }}", "<a><b>"],
    ["{{ range $i, $e := .list }}{{ $i }}{{ $e }} {{ end }}", "0a 1b "],
    ["{{ range $k, $v := .map }}{{ $k }} {{ end }}", "y z "],
    ["{{ range .empty }}x{{ else }}none{{ end }}", "none"],
    ['{{ range .list }}{{ if eq . "b" }}{{ break }}{{ end }}{{ . }}{{ end }}', "a"],
    ['{{ range .list }}{{ if eq . "a" }}{{ continue }}{{ end }}{{ . }}{{ end }}', "b"],
    ["{{ with .map.y }}{{ .deep }} {{ $.name }}{{ end }}", "true p"],
    ["{{ with .none }}x{{ else }}nothing{{ end }}", "nothing"],
    ["{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"],
    ["{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}", "1"],
    ['{{ or .none .zero "last" }}', "last"],
    ["{{ and .name .zero }}", "0"],
    ["{{ not .zero }}", "true"],
    ['{{ index .map "z" }} {{ index .list 1 }}', "1 b"],
    ['{{ (index .map "y").deep }}', "true"],
    ['{{ .name | printf "%s-%d-%q" "x" 7 }}', 'x-7-"p"'],
    ['{{ len .list }} {{ lt 1 2 }} {{ ne .name "p" }}', "2 true false"],
    ["{{ .map }}", "map[y:map[deep:true] z:1]"],
    ['{{ `raw "text"` }}', 'raw "text"'],
    ["{{ Quote .name }} {{ .map.z | Quote }} {{ Quote .none }}", '"p" "1" "null"'],
    ["a:{{ YAML .map 1 }}", 'a:\n  "y":\n    deep: true\n  z: 1\n  '],
    ['{{ default "x" .none }} {{ upper .name }} {{ join "," .list }} {{ add 1 2 }}', "x P a,b 3"],
    ['{{ NodeIPWith "m" }} {{ NodeIP }} {{ PodIPWith "m" true "" "" "" }}', "ip of m ip of it m true"],
    ['{{ (dict "a" 1).a }}', "1"],
  ])("%s", (text, expected) => {
    expect(render(text)).toBe(expected);
  });
});

describe("errors name the line", () => {
  test.each([
    ["a\n{{ if .x }}", "line 2: expected {{end}} for if"],
    ["{{ end }}", "expected end to follow an if, a range or a with"],
    ["\n\n{{ .a", "line 3: expected }} after {{"],
    ["{{ nope 1 }}", "line 1: expected a function that is known, found nope"],
    ["{{ .a | .b }}", "line 1: expected a function after |"],
    ['{{ define "x" }}{{ end }}', "line 1: expected an action of Stages, found define, which is not supported"],
    ["{{ $x }}", "line 1: expected a variable that is set, found $x"],
    ["{{ .name.deeper }}", 'line 1: expected an object with the field deeper, got "p"'],
    ["{{ index .list 9 }}", "line 1: expected an index below 2, got 9"],
    ["{{ div 1 0 }}", "line 1: expected a divisor that is not 0"],
    [
      "{{ range $i, $e := .list }}{{ range $a := 200000 }}{{ range $b := 200000 }}{{ end }}{{ end }}{{ end }}",
      /expected at most 200000 steps/,
    ],
  ])("%s", (text, message) => {
    expect(() => render(text)).toThrow(message);
  });
});
