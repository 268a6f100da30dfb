// Command ownership plays stories of field ownership with the original library and tells what it makes of them.
//
// It reads one story per line from stdin and writes one line per story to stdout. A story is
//
//	{"schemas": [{"v1": <types>, "v2": <types>}, …],   the types of the kind by version, before and after a release
//	 "renames": {"a": "b"},                             root fields that have another name in v2
//	 "exclude": {"v1": <fieldsV1>},                     fields that writes reset
//	 "strip": <fieldsV1>,                               fields that nobody owns, taken from the writer after each step
//	 "steps": [{"op": "apply" | "force" | "update", "manager", "version", "schema", "object"}]}
//
// and the answer is a list with one result per step: {"object", "managers": {name: {"version", "applied", "set"}}},
// or {"conflicts": [[manager, path], …]}, or {"error": text}. The object is in the version of the step.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"

	"go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

type step struct {
	Op      string          `json:"op"`
	Manager string          `json:"manager"`
	Version string          `json:"version"`
	Schema  int             `json:"schema"`
	Object  json.RawMessage `json:"object"`
}

type story struct {
	Schemas []map[string]json.RawMessage `json:"schemas"`
	Renames map[string]string            `json:"renames"`
	Exclude map[string]json.RawMessage   `json:"exclude"`
	Strip   json.RawMessage              `json:"strip"`
	Steps   []step                       `json:"steps"`
}

type owned struct {
	Version string          `json:"version"`
	Applied bool            `json:"applied"`
	Set     json.RawMessage `json:"set"`
}

type result struct {
	Object    any              `json:"object,omitempty"`
	Managers  map[string]owned `json:"managers,omitempty"`
	Conflicts [][2]string      `json:"conflicts,omitempty"`
	Error     string           `json:"error,omitempty"`
}

var errMissing = errors.New("no such version")

// versions converts between v1 and v2 by renaming root fields.
type versions struct {
	parsers map[string]*schema.Schema
	renames map[string]string
}

var root = "root"

func (c *versions) typedIn(v any, version string) *typed.TypedValue {
	return typed.AsTypedUnvalidated(value.NewValueInterface(v), c.parsers[version], schema.TypeRef{NamedType: &root})
}

func (c *versions) versionOf(tv *typed.TypedValue) string {
	for version, s := range c.parsers {
		if s == tv.Schema() {
			return version
		}
	}
	panic("a value of no version")
}

func (c *versions) Convert(tv *typed.TypedValue, to fieldpath.APIVersion) (*typed.TypedValue, error) {
	if c.parsers[string(to)] == nil {
		return nil, errMissing
	}
	from := c.versionOf(tv)
	if from == string(to) {
		return tv, nil
	}
	return c.typedIn(c.rename(tv.AsValue().Unstructured(), from), string(to)), nil
}

func (c *versions) rename(v any, from string) any {
	names := c.renames
	if from == "v2" {
		names = map[string]string{}
		for old, new := range c.renames {
			names[new] = old
		}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, item := range object {
		if name, ok := names[key]; ok {
			key = name
		}
		out[key] = item
	}
	return out
}

func (c *versions) IsMissingVersionError(err error) bool { return errors.Is(err, errMissing) }

// decode reads JSON as the server does: whole numbers as int64.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return numbers(v), nil
}

func numbers(v any) any {
	switch t := v.(type) {
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return i
		}
		f, _ := t.Float64()
		return f
	case map[string]any:
		for key, item := range t {
			t[key] = numbers(item)
		}
	case []any:
		for i, item := range t {
			t[i] = numbers(item)
		}
	}
	return v
}

func parsers(types map[string]json.RawMessage) (map[string]*schema.Schema, error) {
	out := map[string]*schema.Schema{}
	for version, raw := range types {
		s := &schema.Schema{}
		if err := yaml.Unmarshal(raw, s); err != nil {
			return nil, err
		}
		out[version] = s
	}
	return out, nil
}

func play(st story) ([]result, error) {
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for version, raw := range st.Exclude {
		set := fieldpath.NewSet()
		if err := set.FromJSON(bytes.NewReader(raw)); err != nil {
			return nil, err
		}
		filters[fieldpath.APIVersion(version)] = fieldpath.NewExcludeSetFilter(set)
	}
	strip := fieldpath.NewSet()
	if len(st.Strip) > 0 {
		if err := strip.FromJSON(bytes.NewReader(st.Strip)); err != nil {
			return nil, err
		}
	}
	var all []*versions
	for _, types := range st.Schemas {
		p, err := parsers(types)
		if err != nil {
			return nil, err
		}
		all = append(all, &versions{parsers: p, renames: st.Renames})
	}
	var live any = map[string]any{}
	liveVersion := "v1"
	managers := fieldpath.ManagedFields{}
	var results []result
	for _, s := range st.Steps {
		c := all[s.Schema]
		if liveVersion != s.Version {
			live = c.rename(live, liveVersion)
			liveVersion = s.Version
		}
		object, next, err := playStep(c, filters, live, managers, s)
		if err != nil {
			results = append(results, failure(err))
			continue
		}
		if object != nil {
			live = object.AsValue().Unstructured()
		}
		managers = next
		if set, ok := managers[s.Manager]; ok {
			left := set.Set().Difference(strip)
			managers[s.Manager] = fieldpath.NewVersionedSet(left, set.APIVersion(), set.Applied())
			if left.Empty() {
				delete(managers, s.Manager)
			}
		}
		results = append(results, result{Object: live, Managers: describe(managers)})
	}
	return results, nil
}

func playStep(c *versions, filters map[fieldpath.APIVersion]fieldpath.Filter, live any, managers fieldpath.ManagedFields, s step) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	v, err := decode(s.Object)
	if err != nil {
		return nil, nil, err
	}
	updater := (&merge.UpdaterBuilder{Converter: c, IgnoreFilter: filters}).BuildUpdater()
	version := fieldpath.APIVersion(s.Version)
	liveTyped := c.typedIn(live, s.Version)
	given := c.typedIn(v, s.Version)
	if s.Op == "update" {
		if err := given.Validate(typed.AllowDuplicates); err != nil {
			return nil, nil, err
		}
		return updater.Update(liveTyped, given, version, managers.Copy(), s.Manager)
	}
	if err := given.Validate(); err != nil {
		return nil, nil, err
	}
	return updater.Apply(liveTyped, given, version, managers.Copy(), s.Manager, s.Op == "force")
}

func failure(err error) result {
	var conflicts merge.Conflicts
	if !errors.As(err, &conflicts) {
		return result{Error: err.Error()}
	}
	out := result{}
	for _, conflict := range conflicts {
		out.Conflicts = append(out.Conflicts, [2]string{conflict.Manager, conflict.Path.String()})
	}
	return out
}

func describe(managers fieldpath.ManagedFields) map[string]owned {
	out := map[string]owned{}
	for name, set := range managers {
		raw, err := set.Set().ToJSON()
		if err != nil {
			panic(err)
		}
		out[name] = owned{Version: string(set.APIVersion()), Applied: set.Applied(), Set: raw}
	}
	return out
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 64<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var st story
		if err := json.Unmarshal(in.Bytes(), &st); err != nil {
			panic(err)
		}
		results, err := play(st)
		if err != nil {
			panic(err)
		}
		if err := out.Encode(results); err != nil {
			panic(err)
		}
	}
}
