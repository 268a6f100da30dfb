/**
 * The actions that commands use, which `app/` implements.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import type { PerturbationType } from "../explore/contract/plan.ts";
import type { PolicyTestReport } from "../meta/policy-test-report.ts";
import type { Clock } from "../util/clock.ts";
import type { Duration } from "../util/duration.ts";
import type { Progress } from "../util/progress.ts";

/** A flag of `serve`, for help and completion. */
export interface FlagSpec {
  readonly key: string;
  /** A second name of the same flag. */
  readonly also: string | undefined;
  /** The heading in help. */
  readonly group: string;
  /** The placeholder of the value; empty for switches. */
  readonly value: string;
  /** The default in words; empty for none. */
  readonly default: string;
  readonly about: string;
  /** The environment variable of the option. */
  readonly env: string;
  /** The words of a value, if they are known; help lists those with a description. */
  readonly words: readonly { readonly word: string; readonly about: string | undefined }[];
}

/** Runs a server with flags (by key, as text) and an optional file; resolves when it has ended. */
export type Serve = (flags: Readonly<Record<string, string>>, file: string | undefined) => Promise<void>;

/** A command to run with a throw-away cluster. */
export interface RunRequest {
  readonly command: readonly [string, ...string[]];
  /** Files and folders with objects to create first. */
  readonly fixtures: readonly string[];
  readonly dialect: "kubernetes" | "neutral";
  /** Whether the command may mark, reset and disturb the cluster over HTTP. */
  readonly control: boolean;
  /** Whether the cluster stays after the command. */
  readonly keep: boolean;
}

/** Runs a command with a throw-away cluster; resolves to its exit code. */
export type Run = (request: RunRequest) => Promise<number>;

/** The settings of a storage driver. */
export interface DriverRequest {
  /** The socket to listen on: `unix:///path`. */
  readonly socket: string;
  readonly dir: string;
  readonly name?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly topology: Readonly<Record<string, string>>;
  readonly central: boolean;
  readonly backing: "directory" | "image";
  readonly maxVolumes?: number | undefined;
  /** In bytes, as {@link maxVolumeSize}. */
  readonly capacity?: bigint | undefined;
  readonly maxVolumeSize?: bigint | undefined;
  /** Features to enable and to disable. */
  readonly with: readonly string[];
  readonly without: readonly string[];
  /** Whether volumes are linked instead of mounted. */
  readonly links: boolean;
  /** The directory that the agent of the node watches. */
  readonly register?: string | undefined;
}

/** The description of a data directory. */
export interface DirectoryInfo {
  readonly path: string;
  readonly version: string;
  readonly dialect: string | undefined;
  readonly format: number | undefined;
  readonly kubeconfig: string | undefined;
  readonly running:
    | { readonly pid: number; readonly version: string; readonly addresses: readonly string[] }
    | undefined;
  /** The total size of the files of the store. */
  readonly storeBytes: number;
}

/** Describes a data directory; the default one without a name. */
export type InfoSource = (dataDir: string | undefined) => Promise<DirectoryInfo>;

/** The settings of a server that would be started here, as flags, the environment and a file give them. */
export interface ServerSettings {
  readonly dataDir: string;
  readonly bind: string;
  readonly port: number;
  readonly store: "sqlite" | "memory" | "etcd";
  readonly etcdServers: readonly string[];
}

/** Where options of a server come from, in addition to the environment. */
export interface SettingsChoice {
  /** Flags of `serve` by key, as text. */
  readonly flags: Readonly<Record<string, string>>;
  /** The file with options; that of the environment without one. */
  readonly config: string | undefined;
}

/**
 * Reads the settings of a server.
 *
 * @param onUnknown called for each unknown variable that begins with `KEELSON_`, with a suggestion
 */
export type SettingsSource = (
  choice: SettingsChoice,
  onUnknown: (name: string, nearest: string) => void,
) => Promise<ServerSettings>;

/** What an upgrade depends on in etcd. */
export interface EtcdState {
  /** The prefix of all keys. */
  readonly prefix: string;
  /** The version of a member. */
  readonly version: string;
  /** The format of the data; undefined where there is none yet. */
  readonly format: number | undefined;
  /** The newest format that this program knows. */
  readonly newestFormat: number;
  /** The dialect of the data, and that of a server with these options; undefined where it is not known. */
  readonly owner: string | undefined;
  readonly dialect: string | undefined;
}

/** What an upgrade depends on in a data directory. */
export interface UpgradeState {
  readonly path: string;
  readonly dialect: string | undefined;
  /** The format of the directory; undefined for a new one. */
  readonly format: number | undefined;
  /** The newest format that this program knows. */
  readonly newestFormat: number;
  /** The format of the embedded store; undefined where there is none. */
  readonly storeFormat: number | undefined;
  readonly newestStoreFormat: number;
  /** Whether the embedded store was closed in order; undefined where there is none. */
  readonly closedInOrder: boolean | undefined;
}

/** Reads the kubeconfig of a data directory; rejects if there is none. */
export type KubeconfigSource = (dataDir: string | undefined) => Promise<string>;

/** Records of one resource with the same key. */
export interface EncryptedRecords {
  readonly resource: string;
  /** The prefix of the stored values, with provider and key: `k8s:enc:aesgcm:v1:key1:`. */
  readonly stored: string;
  readonly records: number;
}

/** A record that cannot be decrypted. */
export interface UnreadRecord {
  readonly key: string;
  readonly revision: number;
  readonly why: string;
}

/** The encrypted records of a store. */
export interface StoreCensus {
  readonly encrypted: readonly EncryptedRecords[];
  /** Records that the given configuration cannot decrypt. */
  readonly unread: readonly UnreadRecord[];
}

/** The result of a check of a store; see `storage/sqlite/check.ts`. */
export interface StoreCheck {
  readonly directory: string;
  readonly format: number | undefined;
  readonly revision: number | undefined;
  readonly compactedRevision: number | undefined;
  readonly records: number;
  readonly history: number;
  readonly bytes: number;
  /** Why the check of SQLite could not run; undefined if it did. */
  readonly structureUnchecked: string | undefined;
  readonly encrypted: readonly EncryptedRecords[];
  readonly findings: readonly {
    readonly what: string;
    readonly message: string;
    readonly key?: string;
    readonly revision?: number;
  }[];
}

/** The result of a repair of a store; see `storage/sqlite/repair.ts`. */
export interface StoreRepair extends StoreCensus {
  readonly revision: number;
  readonly records: number;
  readonly lost: readonly { readonly key: string; readonly revision: number; readonly older: number | undefined }[];
  readonly warnings: readonly string[];
}

/** The result of a restore. */
export interface StoreRestore extends StoreCensus {
  /** The revision of the backup, and the one at which the restored store continues. */
  readonly backupRevision: number;
  readonly revision: number;
  readonly records: number;
  /** The time of the backup, RFC 3339. */
  readonly time: string;
}

/**
 * Operations on the files of a store that no server has open. A directory is a data directory, or that of its store. No operation
 * needs keys; with a file of keys (`--encryption-provider-config`) it also finds records that cannot be decrypted.
 */
export interface StoreFiles {
  check(directory: string, keys?: string, progress?: Progress): Promise<StoreCheck>;
  /** Copies valid records into a new data directory, with the identity of the old one. */
  repair(from: string, to: string, keys?: string, progress?: Progress): Promise<StoreRepair>;
  /** Creates a data directory from a backup; `-` reads it from standard input. */
  restore(file: string, to: string, keys?: string, progress?: Progress): Promise<StoreRestore>;
  /** Writes a backup to a file, `-` for standard output, and verifies it. */
  saveBackup(pieces: AsyncIterable<Uint8Array>, file: string, progress?: Progress): Promise<SavedBackup>;
}

/** A complete backup. */
export interface SavedBackup {
  readonly revision: number;
  readonly records: number;
  readonly bytes: number;
}

/** The name of a certificate of a data directory. */
export type CertificateName = "ca" | "server" | "admin";

/** What can be renewed: a certificate, or the key for tokens of service accounts. */
export type Renewable = CertificateName | "token";

/** The content of a certificate; times as RFC 3339. */
export interface CertificateInfo {
  readonly name: string;
  /** Relative to the data directory. */
  readonly file: string;
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly hosts: readonly string[];
  readonly begins: string;
  readonly ends: string;
  /** When a server renews it. */
  readonly renewedFrom: string;
}

/** Operations on the certificates of a data directory, by default the default one. */
export interface Certificates {
  /** Reads the certificates that exist. Rejects if there are none. */
  show(dataDir: string | undefined): Promise<readonly CertificateInfo[]>;
  /** Renews and saves certificates; `sans` are further names for the serving certificate. */
  renew(dataDir: string | undefined, names: readonly Renewable[], sans: readonly string[]): Promise<void>;
}

/** A user to create a credential for. */
export interface NewUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly kind: "token" | "certificate";
  readonly days: number;
  /** The URL of the server; by default that of the admin's kubeconfig. */
  readonly server?: string;
}

/** A credential of a user; times as RFC 3339. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly kind: "token" | "certificate";
  readonly made: string;
  readonly ends: string;
  /** When it was revoked. */
  readonly revoked?: string;
}

/** Operations on the users of a data directory, by default the default one. */
export interface Users {
  /** Creates a credential; resolves to a kubeconfig with it. */
  add(dataDir: string | undefined, user: NewUser): Promise<string>;
  list(dataDir: string | undefined): Promise<readonly UserInfo[]>;
  /** Revokes all credentials of a user; resolves to their number. */
  revoke(dataDir: string | undefined, name: string): Promise<number>;
  /** Writes a file with mode 0600. */
  write(file: string, text: string): Promise<void>;
}

/** The result of the validation of a definition. */
export interface DefinitionResult {
  /** The definition as it would be stored; undefined if it is not valid. */
  readonly definition?: unknown;
  /** The error with the invalid fields. */
  readonly error?: string;
}

/** Validates CustomResourceDefinitions as a server does; resolves to a result for each. */
export type ValidateDefinitions = (definitions: readonly object[]) => Promise<readonly DefinitionResult[]>;

/** Runs the tests of policies in files and folders; rejects with CliError for a test that cannot be read. */
export type TestPolicies = (paths: readonly string[], options: { readonly run: string }) => Promise<PolicyTestReport>;

/** A program to explore, with its name in reports. */
export interface ExploredProgram {
  readonly name: string;
  /** `{}` is the path of a kubeconfig, `{port1}` to `{port4}` are free ports. */
  readonly command: readonly [string, ...string[]];
}

/** What to explore, and how. */
export interface ExploreRequest {
  /** A scenario or a module; undefined for that of the finding, or the default one of a storage driver. */
  readonly file: string | undefined;
  readonly programs: readonly ExploredProgram[];
  /** The socket of a storage driver. */
  readonly csi: string | undefined;
  /** What starts the driver. */
  readonly driver: readonly [string, ...string[]] | undefined;
  readonly budgetMillis: number;
  readonly plans: number | undefined;
  readonly seed: number;
  readonly workers: number | undefined;
  readonly only: readonly PerturbationType[] | undefined;
  /** Maximum time that a killed program stays down. */
  readonly restartMillis: number;
  /** Whether a replayed finding may name what is run. */
  readonly trusts: boolean;
  /** The directory of new findings: their paths of scenarios are relative to it. */
  readonly directory: string | undefined;
}

/** The forms of reports of an exploration. */
export type ExploreForm = "text" | "json" | "junit" | "sarif" | "html";

/** What an exploration or a replay has found. */
export interface ExploreOutcome {
  /** The findings as files: a name and a text. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Whether it shows a fault; notices are none. */
  readonly found: boolean;
  /** Whether there were clean runs with which others could be compared. */
  readonly explored: boolean;
  /** Whether a signal ended it before its end. */
  readonly cancelled: boolean;
  /** Why it could not continue; what it had found by then is in the files and the report. */
  readonly failure?: string;
  report(form: ExploreForm, style: { readonly width: number; readonly paints: boolean }): string;
}

/**
 * Called with progress: a line that replaces the previous one on a terminal, and is a line of its own in a log.
 *
 * @param found a line for a new finding, which stays
 */
export type ExploreProgress = (line: string, found?: string) => void;

/** Finds faults in programs, and replays them. Each rejects with CliError where the laboratory or the scenario is at fault. */
export interface Explorer {
  explore(request: ExploreRequest, progress: ExploreProgress): Promise<ExploreOutcome>;
  /** Replays the run of a finding. */
  replay(finding: string, request: ExploreRequest, progress: ExploreProgress): Promise<ExploreOutcome>;
  /** Replays it until the n-th write of the programs, prints the kubeconfig, and keeps the cluster until a signal. */
  until(finding: string, write: number, request: ExploreRequest, tell: (text: string) => void): Promise<void>;
}

/** A directory with the programs for envtest. */
export interface EnvtestDirectory {
  /** An absolute path. */
  readonly path: string;
  /** The kubectl that is linked or exists there; undefined if none was found. */
  readonly kubectl: string | undefined;
}

/** The sidecars of a driver to run; for the settings see `sidecars/sidecar.ts`. */
export interface CsiRequest {
  readonly client: Client;
  /** The namespace of Leases and capacity objects. */
  readonly namespace: string;
  /** The socket of the driver. */
  readonly driver: string;
  /** The parts to run; by default all that the driver supports. */
  readonly only: readonly string[] | undefined;
  /** The directory of the agent of the node, for the registration of the driver. */
  readonly agentDir: string | undefined;
  /** The node of a driver with local disks; undefined for all nodes. */
  readonly node: string | undefined;
  readonly leaderElection: boolean;
  /** Whether every call of the driver is logged. */
  readonly verbose: boolean;
  readonly settings: {
    readonly timeout: Duration;
    readonly retry: { readonly first: Duration; readonly most: Duration };
    readonly workers: number;
    readonly defaultFsType?: string;
    readonly extraCreateMetadata: boolean;
    readonly extraModifyMetadata: boolean;
    readonly strictTopology: boolean;
    readonly immediateTopology: boolean;
    readonly controllerPublishReadOnly: boolean;
    readonly volumeNamePrefix: string;
    readonly snapshotNamePrefix: string;
    readonly capacity:
      | { readonly namespace: string; readonly pollInterval: Duration; readonly forImmediateBinding: boolean }
      | undefined;
  };
}

/** Runs the sidecars of a driver until a signal stops the process; rejects if they fail. */
export type RunCsi = (request: CsiRequest) => Promise<void>;

/** The terminal and the environment of the program. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input. */
  readonly input: NodeJS.ReadableStream & AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };
  /** Whether standard output and standard error are terminals. */
  readonly isTerminal: boolean;
  /** The width of standard output; undefined if it is not a terminal. */
  readonly columns: number | undefined;
  /** The current width of standard error; undefined if it is not a terminal. */
  readonly errorColumns?: () => number | undefined;
  /** Prints a text on standard error. */
  readonly tell: (text: string) => void;
}

/** The exit codes of the process; a command may change them. */
export interface ExitCodes {
  /** After success: 0 unless changed. */
  done: number;
  /** After a failure: 1 unless changed. An invalid command line is always 2. */
  failed: number;
}

/** The settings of a node from the command line. */
export interface NodeRequest {
  readonly name: string;
  readonly directory: string;
  readonly pods: string;
  readonly dialect: string;
  /** Quantities by resource. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The directory of images; without it image volumes fail. */
  readonly imageDirectory: string | undefined;
  /** `HOST:PORT` for metrics; undefined for none. */
  readonly metrics: string | undefined;
  readonly logLevel: string;
  readonly logFormat: string;
}

/** Runs the agent of a node until a signal stops the process. */
export type RunNode = (
  request: NodeRequest,
  connection: { readonly client: Client; readonly server: string },
) => Promise<void>;

/** The actions of the commands. */
export interface Actions {
  readonly version: string;
  /** The minor version of the Kubernetes release that the API follows: 35. */
  readonly kubernetesMinor: number;
  /** The flags of `serve`, one for each option of a server. */
  readonly flags: readonly FlagSpec[];
  readonly serve: Serve;
  readonly run: Run;
  /** Runs a storage driver until a signal stops the process. */
  readonly driver: (request: DriverRequest) => Promise<void>;
  /** The optional features of a driver, with their defaults. */
  readonly driverFeatures: Readonly<Record<string, boolean>>;
  readonly node: RunNode;
  readonly csi: RunCsi;
  readonly info: InfoSource;
  readonly settings: SettingsSource;
  readonly upgradeState: (dataDir: string | undefined) => Promise<UpgradeState>;
  /** Reads the state of the store in etcd, and changes nothing; rejects where no member responds within the time. */
  readonly etcdState: (choice: SettingsChoice, timeoutMillis: number) => Promise<EtcdState>;
  readonly kubeconfig: KubeconfigSource;
  /** Creates or updates a directory for envtest. */
  readonly envtest: (directory: string) => Promise<EnvtestDirectory>;
  readonly files: StoreFiles;
  readonly certificates: Certificates;
  readonly users: Users;
  readonly validateDefinitions: ValidateDefinitions;
  readonly testPolicies: TestPolicies;
  readonly explorer: Explorer;
  /** Prints a text with a newline on standard output. */
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
  readonly exit: ExitCodes;
  readonly clock: Clock;
  /** Sends requests to a server of the same process, to which every command connects then; by default a kubeconfig names the server. */
  readonly inProcess?: Transport;
}
