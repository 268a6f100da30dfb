/**
 * The schema of containers: what runs in a Pod (SUP-5).
 *
 * @module
 */
import {
  type Static,
  always,
  atomicList,
  bool,
  int32,
  int64,
  intOrString,
  keyedList,
  replacedList,
  map,
  optional,
  pointer,
  quantity,
  required,
  setList,
  struct,
  text,
} from "../../../../meta/types.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../volumes/files.ts";
import { AppArmorProfile, SELinuxOptions, SeccompProfile, WindowsOptions } from "./security-schema.ts";

const optionalName = optional(text("Name of the object."));
const optionalSource = pointer(bool("Whether the container may start without it."));

const keySelector = (kind: string) =>
  struct(
    `A key of a ${kind}.`,
    { name: optionalName, key: required(text("The key.")), optional: optionalSource },
    { atomic: true },
  );

const FileKeySelector = struct(
  "A key of a file in a volume.",
  {
    volumeName: required(text("The volume.")),
    path: required(text("The file in the volume.")),
    key: required(text("The key in the file.")),
    optional: pointer(bool("Whether the container may start without it.", { default: false })),
  },
  { atomic: true },
);

const EnvVar = struct("An environment variable.", {
  name: required(text("Name of the variable.")),
  value: optional(text("Its value; `$(NAME)` is another variable.")),
  valueFrom: pointer(
    struct("Where the value comes from; exactly one member is set.", {
      fieldRef: pointer(ObjectFieldSelector),
      resourceFieldRef: pointer(ResourceFieldSelector),
      configMapKeyRef: pointer(keySelector("ConfigMap")),
      secretKeyRef: pointer(keySelector("Secret")),
      fileKeyRef: pointer(FileKeySelector),
    }),
  ),
});

const EnvFromSource = struct("All keys of a ConfigMap or Secret as environment variables.", {
  prefix: optional(text("What is put in front of each name.")),
  configMapRef: pointer(struct("A ConfigMap.", { name: optionalName, optional: optionalSource })),
  secretRef: pointer(struct("A Secret.", { name: optionalName, optional: optionalSource })),
});

const ContainerPort = struct("A port of the container.", {
  name: optional(text("Name of the port, unique in the Pod.")),
  hostPort: optional(int32("The port of the node.")),
  containerPort: required(int32("The port of the Pod.")),
  protocol: optional(text("`TCP`, `UDP` or `SCTP`.", { default: "TCP" })),
  hostIP: optional(text("The address of the node to bind to.")),
});

const limits = map(quantity(), "The most that may be used.");
const requests = map(quantity(), "What is needed at least; the limits when unset.");
const claims = replacedList(
  struct("A claim of the Pod.", {
    name: required(text("Name of the claim in spec.resourceClaims.")),
    request: optional(text("One request of the claim; all when empty.")),
  }),
  ["name"],
  "The resource claims that are used.",
);

/** What a container asks for and may have. */
export const ResourceRequirements = struct("What is asked for and what is the most.", {
  limits: optional(limits),
  requests: optional(requests),
  claims: optional(claims),
});

const VolumeMount = struct("A volume in the file system of the container.", {
  name: required(text("Name of the volume.")),
  readOnly: optional(bool("Whether it is mounted read-only.")),
  recursiveReadOnly: pointer(text("`Disabled`, `IfPossible` or `Enabled`.")),
  mountPath: required(text("Where it is mounted.")),
  subPath: optional(text("A path in the volume that is mounted instead of its root.")),
  mountPropagation: pointer(text("`None`, `HostToContainer` or `Bidirectional`.")),
  subPathExpr: optional(text("As subPath, with `$(NAME)` for variables.")),
});

const VolumeDevice = struct("A raw block device in the container.", {
  name: required(text("Name of a volume behind a claim.")),
  devicePath: required(text("Path of the device.")),
});

const ExecAction = struct("A command.", {
  command: optional(atomicList(text(), "The command and its arguments; no shell.")),
});

const HTTPGetAction = struct("An HTTP request.", {
  path: optional(text("The path.", { default: "/" })),
  port: required(intOrString("Number or name of the port.")),
  host: optional(text("The host; the address of the Pod when empty.")),
  scheme: optional(text("`HTTP` or `HTTPS`.", { default: "HTTP" })),
  httpHeaders: optional(
    atomicList(
      struct("A header.", { name: required(text("Its name.")), value: required(text("Its value.")) }),
      "Headers of the request.",
    ),
  ),
});

const TCPSocketAction = struct("A connection.", {
  port: required(intOrString("Number or name of the port.")),
  host: optional(text("The host; the address of the Pod when empty.")),
});

const Probe = struct("How the container is asked whether it is well; exactly one action is set.", {
  exec: pointer(ExecAction),
  httpGet: pointer(HTTPGetAction),
  tcpSocket: pointer(TCPSocketAction),
  grpc: pointer(
    struct("A call of the gRPC health service.", {
      port: required(int32("Number of the port.")),
      service: pointer(text("Name of the service.", { default: "" })),
    }),
  ),
  initialDelaySeconds: optional(int32("Seconds after the start before it begins.")),
  timeoutSeconds: optional(int32("Seconds until a probe has failed; 1 when unset.")),
  periodSeconds: optional(int32("Seconds between two probes; 10 when unset.")),
  successThreshold: optional(int32("How many successes in a row make a success; 1 when unset.")),
  failureThreshold: optional(int32("How many failures in a row make a failure; 3 when unset.")),
  terminationGracePeriodSeconds: pointer(int64("Seconds that the Pod is given to end after a failure.")),
});

const LifecycleHandler = struct("What is done; exactly one action is set.", {
  exec: pointer(ExecAction),
  httpGet: pointer(HTTPGetAction),
  tcpSocket: pointer(TCPSocketAction),
  sleep: pointer(struct("A pause.", { seconds: required(int64("Seconds to wait.")) })),
});

const Lifecycle = struct("What is done when the container has started and before it ends.", {
  postStart: pointer(LifecycleHandler),
  preStop: pointer(LifecycleHandler),
  stopSignal: pointer(text("The signal that ends the container.")),
});

const SecurityContext = struct("What the container may do.", {
  capabilities: pointer(
    struct("Capabilities of the kernel.", {
      add: optional(atomicList(text(), "Those to add.")),
      drop: optional(atomicList(text(), "Those to take away.")),
    }),
  ),
  privileged: pointer(bool("Whether processes are as good as root on the node.")),
  seLinuxOptions: pointer(SELinuxOptions),
  windowsOptions: pointer(WindowsOptions),
  runAsUser: pointer(int64("The user id.")),
  runAsGroup: pointer(int64("The group id.")),
  runAsNonRoot: pointer(bool("Whether user 0 is refused.")),
  readOnlyRootFilesystem: pointer(bool("Whether the root file system is read-only.")),
  allowPrivilegeEscalation: pointer(bool("Whether a process may get more rights than its parent.")),
  procMount: pointer(text("`Default` or `Unmasked`.")),
  seccompProfile: pointer(SeccompProfile),
  appArmorProfile: pointer(AppArmorProfile),
});

const ContainerResizePolicy = struct("What a change of a resource means.", {
  resourceName: required(text("The resource.")),
  restartPolicy: required(text("`NotRequired` or `RestartContainer`.")),
});

const ContainerRestartRule = struct("When the container is restarted.", {
  action: required(text("`Restart`.")),
  exitCodes: pointer(
    struct("The exit codes that are meant.", {
      operator: required(text("`In` or `NotIn`.")),
      values: optional(setList(int32(), "Exit codes.")),
    }),
  ),
});

/** What a Pod as a whole asks for: claims are those of its containers, and seen here also where there are none. */
export const PodResourceRequirements = struct("What is asked for and what is the most.", {
  limits: optional(limits),
  requests: optional(requests),
  claims: pointer(claims),
});

const ports = keyedList(ContainerPort, ["containerPort", "protocol"], "The ports of the container.");
const resizePolicy = atomicList(ContainerResizePolicy, "What changes of resources mean.");
const restartPolicyRules = atomicList(ContainerRestartRule, "When the container is restarted, by exit code.");

const containerMembers = {
  name: required(text("Name of the container, a DNS label; it cannot change.")),
  image: optional(text("The image.")),
  command: optional(atomicList(text(), "The entry point; that of the image when empty.")),
  args: optional(atomicList(text(), "Arguments of the entry point; those of the image when empty.")),
  workingDir: optional(text("The working directory; that of the image when empty.")),
  ports: optional(ports),
  envFrom: optional(atomicList(EnvFromSource, "Sources of environment variables.")),
  env: optional(keyedList(EnvVar, ["name"], "Environment variables.")),
  resources: always(ResourceRequirements),
  resizePolicy: optional(resizePolicy),
  restartPolicy: pointer(text("`Always` for an init container that keeps running; else that of the Pod.")),
  restartPolicyRules: optional(restartPolicyRules),
  volumeMounts: optional(keyedList(VolumeMount, ["mountPath"], "The volumes in the file system.")),
  volumeDevices: optional(keyedList(VolumeDevice, ["devicePath"], "The raw block devices.")),
  livenessProbe: pointer(Probe),
  readinessProbe: pointer(Probe),
  startupProbe: pointer(Probe),
  lifecycle: pointer(Lifecycle),
  terminationMessagePath: optional(text("File with the last message of the container.")),
  terminationMessagePolicy: optional(text("`File`, or `FallbackToLogsOnError`.")),
  imagePullPolicy: optional(text("`Always`, `Never` or `IfNotPresent`; by the tag of the image when unset.")),
  securityContext: pointer(SecurityContext),
  stdin: optional(bool("Whether there is a standard input.")),
  stdinOnce: optional(bool("Whether it is closed after the first client.")),
  tty: optional(bool("Whether there is a terminal.")),
};

/** A container. */
export const Container = struct("A process, or some, in an image.", containerMembers);

/** A container that is put into a running Pod to look around. */
export const EphemeralContainer = struct("A container that is put into a running Pod to look around.", {
  ...containerMembers,
  // What it may not have is seen also where it is empty.
  ports: pointer(ports),
  resources: always(
    struct("What is asked for and what is the most.", {
      limits: pointer(limits),
      requests: pointer(requests),
      claims: pointer(claims),
    }),
  ),
  resizePolicy: pointer(resizePolicy),
  restartPolicyRules: pointer(restartPolicyRules),
  targetContainerName: optional(text("The container whose processes are to be seen.")),
});

/** A container in wire form. */
export type ContainerValue = Static<typeof Container>;
