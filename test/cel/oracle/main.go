// Answers as Kubernetes' own packages do. Questions on standard input, each a line of JSON: an expression; an expression with
// the texts s and t; or the name of a format with the text s. Answers on standard output, each a line of JSON in the form of
// test/conformance/cel.json; of a format whether it has the text, or nothing where it is none.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
	apicel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

type object = map[string]any

type question struct{ Expr, Format, S, T string }

func main() {
	env, err := environment.MustBaseEnvSet(version.MajorMinor(1, 34)).Env(environment.StoredExpressions)
	if err != nil {
		panic(err)
	}
	texts, err := env.Extend(cel.Variable("s", cel.StringType), cel.Variable("t", cel.StringType))
	if err != nil {
		panic(err)
	}
	compiled := map[string]func(object) object{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var expr string
		var asked question
		var answer any
		if json.Unmarshal(lines.Bytes(), &expr) == nil {
			answer = object{"expr": expr, "want": prepared(env, expr)(object{})}
		} else if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		} else if asked.Format != "" {
			answer = hasFormat(asked.Format, asked.S)
		} else {
			ask, known := compiled[asked.Expr]
			if !known {
				ask = guarded(texts, asked.Expr)
				compiled[asked.Expr] = ask
			}
			answer = ask(object{"s": asked.S, "t": asked.T})
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}

func hasFormat(format, text string) any {
	if !strfmt.Default.ContainsName(format) {
		return nil
	}
	return strfmt.Default.Validates(format, text)
}

func always(want object) func(object) object {
	return func(object) object { return want }
}

// Nothing for an expression at which the packages fail themselves.
func guarded(env *cel.Env, expr string) (ask func(object) object) {
	defer func() {
		if recover() != nil {
			ask = always(nil)
		}
	}()
	return prepared(env, expr)
}

// What answers an expression with values of its variables.
func prepared(env *cel.Env, expr string) func(object) object {
	ast, issues := env.Compile(expr)
	if issues != nil {
		return always(object{"compile": issues.String()})
	}
	costs := &library.CostEstimator{}
	kind := ast.OutputType().String()
	program, err := env.Program(ast, cel.CostLimit(10_000_000), cel.CostTracking(costs))
	if err != nil {
		return always(object{"compile": "program: " + err.Error(), "type": kind})
	}
	estimate, err := env.EstimateCost(ast, costs)
	if err != nil {
		panic(err)
	}
	return func(variables object) object {
		want := object{"type": kind, "min": number(estimate.Min), "max": number(estimate.Max)}
		value, details, err := program.Eval(variables)
		if details != nil && details.ActualCost() != nil {
			want["cost"] = *details.ActualCost()
		}
		if err != nil {
			want["error"] = err.Error()
		} else {
			want["value"] = written(value)
		}
		return want
	}
}

func number(n uint64) any {
	if n > 1<<53 {
		return strconv.FormatUint(n, 10)
	}
	return n
}

func written(value ref.Val) any {
	switch v := value.(type) {
	case types.Bool:
		return bool(v)
	case types.String:
		return string(v)
	case types.Int:
		return object{"int": strconv.FormatInt(int64(v), 10)}
	case types.Uint:
		return object{"uint": strconv.FormatUint(uint64(v), 10)}
	case types.Double:
		return object{"double": strconv.FormatFloat(float64(v), 'g', -1, 64)}
	case types.Bytes:
		return object{"bytes": base64.StdEncoding.EncodeToString(v)}
	case types.Null:
		return object{"null": true}
	case types.Timestamp:
		return object{"timestamp": v.Time.UTC().Format(time.RFC3339Nano)}
	case types.Duration:
		return object{"duration": strconv.FormatInt(int64(v.Duration), 10)}
	case *types.Optional:
		if !v.HasValue() {
			return object{"none": true}
		}
		return object{"optional": written(v.GetValue())}
	case ref.Type:
		return object{"type": v.TypeName()}
	case apicel.URL:
		return object{"url": v.URL.String()}
	case apicel.Quantity:
		return object{"quantity": v.Quantity.String()}
	case *apicel.Quantity:
		return object{"quantity": v.Quantity.String()}
	case apicel.Semver:
		return object{"semver": v.Version.String()}
	case apicel.IP:
		return object{"ip": v.Addr.String()}
	case apicel.CIDR:
		return object{"cidr": v.Prefix.String()}
	case apicel.Format:
		return object{"format": v.Name}
	case traits.Lister:
		list := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			list = append(list, written(it.Next()))
		}
		return list
	case traits.Mapper:
		return object{"map": entries(v)}
	}
	return object{"opaque": value.Type().TypeName()}
}

func entries(v traits.Mapper) [][]any {
	list := [][]any{}
	for it := v.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		list = append(list, []any{written(key), written(v.Get(key))})
	}
	sort.Slice(list, func(i, j int) bool { return fmt.Sprint(list[i]) < fmt.Sprint(list[j]) })
	return list
}
