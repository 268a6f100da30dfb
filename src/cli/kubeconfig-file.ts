/**
 * Kubeconfig files, in all that YAML can say.
 *
 * @module
 */
import { decodeYaml } from "../value/yaml.ts";
import {
  type ChosenContext,
  type Decode,
  type KubeconfigChoice,
  contextNamesOf,
  contextOf,
} from "./kubeconfig-context.ts";

const decode: Decode = (text) => decodeYaml(text).value;

/** Reads the files and takes the context out of them. @throws CliError that names the file and the member */
export const readKubeconfig = (choice: KubeconfigChoice): ChosenContext => contextOf(choice, decode);

/** The names of all contexts. */
export const contextNames = (choice: KubeconfigChoice): readonly string[] => contextNamesOf(choice, decode);
