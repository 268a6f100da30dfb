// Answers expressions as Kubernetes' own packages do: expressions on standard input, each a line of JSON; answers on
// standard output, each a line of JSON in the form of test/conformance/cel.json.
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
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type object = map[string]any

func main() {
	env, err := environment.MustBaseEnvSet(version.MajorMinor(1, 34)).Env(environment.StoredExpressions)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var expr string
		if err := json.Unmarshal(lines.Bytes(), &expr); err != nil {
			panic(err)
		}
		if err := out.Encode(object{"expr": expr, "want": answer(env, expr)}); err != nil {
			panic(err)
		}
	}
}

func answer(env *cel.Env, expr string) (want object) {
	ast, issues := env.Compile(expr)
	if issues != nil {
		return object{"compile": issues.String()}
	}
	costs := &library.CostEstimator{}
	kind := ast.OutputType().String()
	program, err := env.Program(ast, cel.CostLimit(10_000_000), cel.CostTracking(costs))
	if err != nil {
		return object{"compile": "program: " + err.Error(), "type": kind}
	}
	estimate, err := env.EstimateCost(ast, costs)
	if err != nil {
		panic(err)
	}
	want = object{"type": kind, "min": number(estimate.Min), "max": number(estimate.Max)}
	value, details, err := program.Eval(object{})
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
