/**
 * StatefulSet: Pods of one template that keep their names and their claims (KIND-StatefulSet-1..11). Nothing here makes a
 * Pod or a claim.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../meta/names.ts";
import {
  type Static,
  always,
  atomicList,
  int32,
  intOrString,
  keyedList,
  optional,
  pointer,
  required,
  requiredOrNull,
  struct,
  text,
} from "../../../meta/types.ts";
import { labelName } from "../../../meta/names.ts";
import { textColumn } from "../../../schema/columns.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector } from "../../../schema/validation/label-selector.ts";
import { type Value, equal } from "../../../value/value.ts";
import { PodTemplates } from "../../core/v1/pod/template.ts";
import { ClaimTemplates, type ClaimTemplate } from "../../core/v1/claim-template.ts";
import { shareOf, validateAtMost, validateAtMostAll, validateNotLess, validateNotNegative, validateShare } from "../../rules/counts.ts";
import { scaleOf } from "../../rules/replicas.ts";
import {
  Condition,
  type Workload,
  ageColumn,
  containerColumns,
  counted,
  observed,
  replicasOf,
  selectorOf,
  statusOf,
  templateOf,
  validateSelector,
  validateTemplate,
  workload,
} from "./workload.ts";
