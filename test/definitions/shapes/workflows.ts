/**
 * Work in steps: templates that hold templates, and tasks whose parameters may be anything.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import { affinity, container, env, tolerations, volumes } from "./pods.ts";
import {
  type Json,
  OPEN,
  anything,
  int32,
  int64,
  intOrString,
  keyed,
  list,
  mapOf,
  object,
  oneOf,
  openObject,
  text,
  texts,
  time,
  yesNo,
} from "../words.ts";

const scalar = text();
const args = object({
  artifacts: keyed(
    ["name"],
    object({ from: text(), name: text(), path: text(), raw: object({ data: text() }) }, { required: ["name"] }),
  ),
  parameters: keyed(
    ["name"],
    object(
      {
        default: scalar,
        enum: list(text(), { minItems: 1 }),
        globalName: text(),
        name: text(),
        value: scalar,
        valueFrom: openObject,
      },
      { required: ["name"] },
    ),
  ),
});
const withItems = {
  withItems: list(anything),
  withParam: text(),
  withSequence: object({ count: intOrString, end: intOrString, start: intOrString }),
};

/** A template; one that is written in place holds templates down to `depth`. */
const template = (depth: number): Json => {
  const inline = depth > 0 ? { inline: template(depth - 1) } : { inline: anything };
  const task = {
    arguments: args,
    name: text(),
    onExit: text(),
    template: text(),
    when: text(),
    ...withItems,
    ...inline,
  };
  return object({
    activeDeadlineSeconds: intOrString,
    affinity: depth === 2 ? affinity : openObject,
    container: depth === 2 ? container : openObject,
    dag: object(
      {
        failFast: yesNo(),
        target: text(),
        tasks: keyed(["name"], object({ ...task, dependencies: list(text()) }, { required: ["name"] })),
      },
      { required: ["tasks"] },
    ),
    http: object({ body: text(), method: text(), url: text() }, { required: ["url"] }),
    inputs: args,
    name: text(),
    outputs: args,
    retryStrategy: object({ backoff: object({ duration: text(), factor: intOrString }), limit: intOrString }),
    script: object({ command: list(text()), env, image: text(), source: text() }, { required: ["image", "source"] }),
    steps: list(list(object(task))),
    suspend: object({ duration: text() }),
  });
};

export const workflow: Sample = sample({
  of: "work in steps, whose templates hold templates",
  group: "workflows.example.com",
  kind: "Workflow",
  plural: "workflows",
  names: { shortNames: ["wf"] },
  versions: [
    {
      name: "v1alpha1",
      members: {
        spec: object({
          arguments: args,
          entrypoint: text(),
          parallelism: int64(),
          podGC: object({ strategy: oneOf("", "OnPodCompletion", "OnWorkflowCompletion") }),
          serviceAccountName: text(),
          templates: keyed(["name"], { ...template(2), required: ["name"] }),
          tolerations,
          volumes,
        }),
        status: openObject,
      },
      root: { required: ["metadata", "spec"] },
    },
  ],
  valid: {
    spec: {
      entrypoint: "main",
      templates: [
        {
          name: "main",
          steps: [
            [
              {
                name: "a",
                inline: {
                  dag: {
                    tasks: [
                      {
                        name: "b",
                        withItems: [1, "x", { y: [] }, null],
                        inline: { steps: [[{ inline: { free: 1 } }]] },
                      },
                    ],
                  },
                },
              },
            ],
            [],
          ],
        },
        { name: "say", container: { name: "", image: "say" }, retryStrategy: { limit: "3" } },
      ],
    },
    status: { nodes: { a: { phase: "Running" } } },
  },
  misfits: [
    {
      why: "with two templates of one name",
      body: { spec: { templates: [{ name: "a" }, { name: "b" }, { name: "a" }] } },
      causes: ["FieldValueDuplicate spec.templates[2]"],
    },
    {
      why: "with a script without source, deep inside",
      body: { spec: { templates: [{ name: "a", steps: [[{ inline: { script: { image: "i" } } }]] }] } },
      causes: ["FieldValueRequired spec.templates[0].steps[0][0].inline.script.source"],
    },
  ],
});

const paramSpec = object(
  {
    default: anything,
    description: text(),
    enum: list(text()),
    name: text(),
    properties: mapOf(object({ type: text() })),
    type: text(),
  },
  { required: ["name"] },
);

export const task: Sample = sample({
  of: "a task, of which the definition says little",
  group: "pipelines.example.com",
  kind: "Task",
  plural: "tasks",
  names: { categories: ["pipelines"] },
  versions: [
    {
      name: "v1beta1",
      members: { spec: openObject },
      root: { "x-kubernetes-preserve-unknown-fields": true },
      more: { ...STATUS, deprecated: true },
    },
    {
      name: "v1",
      members: {
        spec: object({
          description: text(),
          displayName: text(),
          params: list(paramSpec, { "x-kubernetes-list-type": "atomic" }),
          results: list(
            object(
              { name: text(), properties: mapOf(object({ type: text() })), type: text(), value: anything },
              { required: ["name"] },
            ),
          ),
          sidecars: list(openObject),
          stepTemplate: object({ env, workingDir: text() }),
          steps: list(
            object(
              {
                args: list(text()),
                command: list(text()),
                image: text(),
                name: text(),
                onError: text(),
                params: list(object({ name: text(), value: anything }, { required: ["name", "value"] })),
                script: text(),
                timeout: text(),
              },
              OPEN,
            ),
          ),
          volumes: anything,
          workspaces: list(
            object(
              { description: text(), mountPath: text(), name: text(), optional: yesNo(), readOnly: yesNo() },
              { required: ["name"] },
            ),
          ),
        }),
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      params: [
        { name: "where", type: "object", properties: { url: { type: "string" } }, default: { url: "u", "": 0 } },
        { name: "n", default: ["a", 1] },
      ],
      steps: [
        {
          name: "s",
          image: "i",
          script: "run",
          securityContext: { any: ["thing"] },
          params: [{ name: "p", value: false }],
        },
      ],
      volumes: "not even a list",
    },
  },
  misfits: [
    {
      why: "with a parameter without name, and one without value",
      body: { spec: { params: [{ default: 1 }], steps: [{ params: [{ name: "p" }] }] } },
      causes: ["FieldValueRequired spec.params[0].name", "FieldValueRequired spec.steps[0].params[0].value"],
    },
  ],
});

export const job: Sample = sample({
  of: "work that is done now and then",
  group: "workflows.example.com",
  kind: "CronWork",
  plural: "cronworks",
  versions: [
    {
      name: "v1",
      members: {
        spec: object(
          {
            concurrencyPolicy: { ...oneOf("Allow", "Forbid", "Replace"), default: "Allow" },
            history: object(
              { failed: int32({ default: 1, minimum: 0 }), successful: int32({ default: 3, minimum: 0 }) },
              { default: {} },
            ),
            labels: texts,
            schedule: text({ minLength: 9 }),
            startAfter: { ...time, nullable: true },
            suspend: yesNo({ default: false }),
          },
          { required: ["schedule"] },
        ),
      },
    },
  ],
  valid: { spec: { schedule: "0 0 * * *", startAfter: null, history: { failed: 0 } } },
  becomes: {
    spec: {
      schedule: "0 0 * * *",
      startAfter: null,
      concurrencyPolicy: "Allow",
      history: { failed: 0, successful: 3 },
      suspend: false,
    },
  },
  misfits: [
    {
      why: "with a day that is none and half a number",
      body: { spec: { schedule: "0 0 * * *", startAfter: "2026-02-31T00:00:00Z", history: { failed: 0.5 } } },
      causes: ["FieldValueTypeInvalid spec.history.failed", "FieldValueTypeInvalid spec.startAfter"],
    },
  ],
});
