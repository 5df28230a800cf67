// Writes what Go says of quantities, durations, selectors and statuses: the judge of the helpers in src/kube.
//
//	cd scripts/goldens && go run . ../../test/kube/goldens
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

var random = rand.New(rand.NewSource(1))

func pick[T any](from ...T) T { return from[random.Intn(len(from))] }

type object = map[string]any

func main() {
	folder := os.Args[1]
	for name, rows := range map[string][]any{
		"quantities": quantities(),
		"durations":  durations(),
		"selectors":  selectors(),
		"statuses":   statuses(),
	} {
		var text strings.Builder
		for _, row := range rows {
			line, err := json.Marshal(row)
			if err != nil {
				panic(err)
			}
			text.Write(line)
			text.WriteByte('\n')
		}
		if err := os.WriteFile(filepath.Join(folder, name+".jsonl"), []byte(text.String()), 0o644); err != nil {
			panic(err)
		}
	}
}

func quantityText() string {
	number := fmt.Sprintf("%d", random.Int63n(pick[int64](2, 10, 1000, 100000, 1<<40)))
	if random.Intn(3) == 0 {
		number += fmt.Sprintf(".%d", random.Int63n(pick[int64](10, 1000, 100000)))
	}
	return pick("", "", "-") + number + pick("", "", "m", "k", "M", "G", "Ki", "Mi", "Gi", "u", "n", "e3", "E2", "T")
}

func quantities() []any {
	rows := []any{}
	texts := []string{"0", "1", "-1", "0.5Gi", "1.5Ki", "1000m", "1024Ki", "100u", "1e3", "2.50", "1E", "8Ei", "999n", "0.1n", "1.1Mi"}
	for len(texts) < 300 {
		texts = append(texts, quantityText())
	}
	for index, left := range texts {
		right := texts[(index*7+3)%len(texts)]
		factor := pick[int64](0, 1, 2, 3, 7, -1, 1000, 1024)
		a, b := resource.MustParse(left), resource.MustParse(right)
		sum, difference, product := a.DeepCopy(), a.DeepCopy(), a.DeepCopy()
		sum.Add(b)
		difference.Sub(b)
		product.Mul(factor)
		rows = append(rows, object{
			"left": left, "right": right, "factor": factor,
			"canonical": canonical(a), "sum": sum.String(), "difference": difference.String(),
			"product": product.String(), "order": a.Cmp(b), "value": fmt.Sprint(a.Value()),
			"number": a.AsApproximateFloat64(),
		})
	}
	return rows
}

func canonical(q resource.Quantity) string {
	digits, suffix := q.CanonicalizeBytes(make([]byte, 0, 64))
	return string(digits) + string(suffix)
}

func durations() []any {
	rows := []any{}
	texts := []string{
		"0", "5s", "30s", "1478s", "-5s", "+5s", "-0", "+0", "5.0s", "5.6s", "5.s", ".5s", "1.0s", "1.00s", "1.004s",
		"1.0040s", "100.00100s", "10ns", "11us", "12µs", "12μs", "13ms", "14s", "15m", "16h", "3h30m", "10.5s4m",
		"-2m3.4s", "1h2m3s4ms5us6ns", "39h9m14.425s", "52763797000ns", "0.3333333333333333333h",
		"9007199254740993ns", "9223372036854775807ns", "9223372036854775.807us", "9223372036s854ms775us807ns",
		"-9223372036854775808ns", "-9223372036854775.808us", "-2562047h47m16.854775808s",
		"0.100000000000000000000h", "0.830103483285477580700h", "", "3", "-", "s", ".", "-.", ".s", "+.s", "1d",
		"9223372036854775810ns", "9223372036854775808ns", "-9223372036854775809ns", "9223372036854776us",
		"3000000h", "9223372036854775.808us", "1h 30m", " 1h", "1H", "--1s", "1e3s", "1m1m", "1.5.5s", "1_000s",
	}
	for len(texts) < 300 {
		text := pick("", "", "", "-", "+")
		for count := 1 + random.Intn(3); count > 0; count-- {
			text += fmt.Sprint(random.Int63n(pick[int64](2, 100, 100000)))
			if random.Intn(2) == 0 {
				text += fmt.Sprintf(".%0*d", 1+random.Intn(12), random.Int63n(100))
			}
			text += pick("ns", "us", "ms", "s", "m", "h")
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		parsed, err := time.ParseDuration(text)
		if err != nil {
			rows = append(rows, object{"text": text, "error": err.Error()})
			continue
		}
		rows = append(rows, object{"text": text, "nanos": fmt.Sprint(int64(parsed)), "formatted": parsed.String()})
	}
	return rows
}

func selectors() []any {
	rows := []any{}
	sets := []map[string]string{
		{}, {"app": "web"}, {"app": "web", "tier": "front"}, {"app": "", "n": "5"}, {"n": "12", "x.io/y": "z"},
		{"n": "-3"}, {"n": "99999999999999999999"}, {"app": "api", "tier": "back", "legacy": "true"},
	}
	matches := func(selector labels.Selector) []bool {
		found := []bool{}
		for _, set := range sets {
			found = append(found, selector.Matches(labels.Set(set)))
		}
		return found
	}
	texts := []string{"", "app", "!app", "app=web", "app==web", "app!=web", "app in (web,api)", "app notin (web)", "n>4", "n<6", "n>-4",
		"app,!tier,n", "tier in (front, back),app", "app=", "app in ()", "app in (,web)", "app=web,app=api", "x.io/y=z", "  app = web ",
		"n>99999999999999999999", "app in", "a b", "=a", "app=a=b", "app in (a", "!app=b", "app>x", "_=", "app=$", ",", "app,,n", "(a)", "notin", "in"}
	for len(texts) < 150 {
		part := func() string {
			key := pick("app", "tier", "n", "legacy", "x.io/y")
			return pick(key, "!"+key, key+"="+pick("web", "front", "5", ""), key+"!="+pick("web", "z"), key+" in ("+pick("web", "api,web", "12,5", "z, a,m")+")",
				key+" notin ("+pick("web", "back,front")+")", "n"+pick(">", "<")+pick("4", "-5", "12"))
		}
		text := part()
		for count := random.Intn(3); count > 0; count-- {
			text += "," + part()
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		selector, err := labels.Parse(text)
		if err != nil {
			rows = append(rows, object{"label": text, "error": err.Error()})
			continue
		}
		rows = append(rows, object{"label": text, "formatted": selector.String(), "matches": matches(selector)})
	}
	for range 80 {
		selector := &metav1.LabelSelector{}
		for count := random.Intn(3); count > 0; count-- {
			if selector.MatchLabels == nil {
				selector.MatchLabels = map[string]string{}
			}
			selector.MatchLabels[pick("app", "tier", "n")] = pick("web", "front", "5", "", "not ok")
		}
		for count := random.Intn(3); count > 0; count-- {
			operator := pick[metav1.LabelSelectorOperator]("In", "NotIn", "Exists", "DoesNotExist", "Exists", "In", "Like")
			values := []string{}
			if (operator == "In" || operator == "NotIn") == (random.Intn(12) != 0) {
				values = pick([]string{"web"}, []string{"web", "api"}, []string{"front", "5", "12"})
			}
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{Key: pick("app", "tier", "legacy", "x.io/y"), Operator: operator, Values: values})
		}
		row := object{"object": selector}
		if converted, err := metav1.LabelSelectorAsSelector(selector); err != nil {
			row["error"] = err.Error()
		} else {
			row["formatted"], row["matches"] = converted.String(), matches(converted)
		}
		rows = append(rows, row)
	}
	for _, text := range []string{"", "a=b", "a==b", "a!=b", "b=1,a=2", "a=", "=", "a", "a=b,", `a=x\,y`, `a=x\=y`, `a=x\\y`, `a=x\zy`, "a=b=c", "metadata.name=x,spec.nodeName!=y", " a = b "} {
		selector, err := fields.ParseSelector(text)
		if err != nil {
			rows = append(rows, object{"field": text, "error": err.Error()})
			continue
		}
		requirements := []object{}
		for _, each := range selector.Requirements() {
			requirements = append(requirements, object{"field": each.Field, "operator": string(each.Operator), "value": each.Value})
		}
		rows = append(rows, object{"field": text, "formatted": selector.String(), "requirements": requirements})
	}
	return rows
}

func maybe(into object, key string, value any) {
	if random.Intn(5) != 0 {
		into[key] = value
	}
}

func condition(types ...string) object {
	return object{"type": pick(types...), "status": pick("True", "True", "False", "Unknown"), "reason": pick("Because", "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "Unschedulable", "Installing", "NotAccepted"), "message": pick("a message", "another")}
}

func statuses() []any {
	rows := []any{}
	small := func() int64 { return random.Int63n(4) }
	kinds := []struct {
		apiVersion, kind string
		conditions       []string
		fill             func(spec, status object)
	}{
		{"apps/v1", "Deployment", []string{"Progressing", "Available", "ReplicaFailure"}, func(spec, status object) {
			maybe(spec, "replicas", small())
			if random.Intn(2) == 0 {
				spec["progressDeadlineSeconds"] = pick[int64](600, 2147483647)
			}
			full := random.Intn(2) == 0
			for _, key := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
				if replicas, given := spec["replicas"]; full && given {
					status[key] = replicas
				} else {
					maybe(status, key, small())
				}
			}
		}},
		{"apps/v1", "StatefulSet", nil, func(spec, status object) {
			maybe(spec, "replicas", small())
			if random.Intn(3) == 0 {
				strategy := object{"type": pick("OnDelete", "RollingUpdate", "RollingUpdate")}
				if random.Intn(2) == 0 {
					strategy["rollingUpdate"] = object{"partition": small()}
				}
				spec["updateStrategy"] = strategy
			}
			full := random.Intn(2) == 0
			for _, key := range []string{"replicas", "readyReplicas", "currentReplicas", "updatedReplicas"} {
				if replicas, given := spec["replicas"]; full && given && random.Intn(6) != 0 {
					status[key] = replicas
				} else {
					maybe(status, key, small())
				}
			}
			maybe(status, "currentRevision", pick("a", "b"))
			maybe(status, "updateRevision", pick("a", "b"))
		}},
		{"apps/v1", "DaemonSet", nil, func(_, status object) {
			desired := small()
			for _, key := range []string{"desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"} {
				if random.Intn(6) != 0 {
					status[key] = desired
				} else {
					maybe(status, key, small())
				}
			}
		}},
		{"apps/v1", "ReplicaSet", []string{"ReplicaFailure"}, func(spec, status object) {
			maybe(spec, "replicas", small())
			for _, key := range []string{"replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas"} {
				if replicas, given := spec["replicas"]; given && random.Intn(6) != 0 {
					status[key] = replicas
				} else {
					maybe(status, key, small())
				}
			}
		}},
		{"batch/v1", "Job", []string{"Complete", "Failed", "Suspended"}, func(spec, status object) {
			maybe(spec, "parallelism", small())
			maybe(spec, "completions", small())
			for _, key := range []string{"succeeded", "active", "failed"} {
				maybe(status, key, small())
			}
			if random.Intn(2) == 0 {
				status["startTime"] = "2026-01-01T00:00:00Z"
			}
		}},
		{"batch/v1", "CronJob", nil, func(_, _ object) {}},
		{"v1", "Pod", []string{"Ready", "PodScheduled"}, func(_, status object) {
			maybe(status, "phase", pick("Pending", "Pending", "Running", "Running", "Succeeded", "Failed"))
			if random.Intn(2) == 0 {
				status["containerStatuses"] = []any{object{"name": "main", "state": object{"waiting": object{"reason": pick("CrashLoopBackOff", "ImagePullBackOff")}}}, object{"name": "side", "state": object{pick("running", "waiting"): object{"reason": "CrashLoopBackOff"}}}, object{"name": "none"}}
			}
		}},
		{"v1", "PersistentVolumeClaim", nil, func(_, status object) { maybe(status, "phase", pick("Bound", "Pending", "Lost")) }},
		{"v1", "Service", nil, func(spec, _ object) {
			maybe(spec, "type", pick("ClusterIP", "LoadBalancer", "NodePort"))
			maybe(spec, "clusterIP", pick("10.0.0.1", ""))
		}},
		{"v1", "ConfigMap", nil, func(_, _ object) {}},
		{"v1", "Secret", nil, func(_, _ object) {}},
		{"policy/v1", "PodDisruptionBudget", nil, func(_, _ object) {}},
		{"apiextensions.k8s.io/v1", "CustomResourceDefinition", []string{"NamesAccepted", "Established"}, func(_, _ object) {}},
		{"example.com/v1", "Widget", []string{"Ready", "Available", "Stalled", "Reconciling"}, func(_, _ object) {}},
	}
	for _, kind := range kinds {
		count := 60
		if kind.conditions == nil && (kind.kind == "ConfigMap" || kind.kind == "Secret" || kind.kind == "CronJob" || kind.kind == "PodDisruptionBudget") {
			count = 8
		}
		for range count {
			spec, stat := object{}, object{}
			kind.fill(spec, stat)
			metadata := object{"name": "one", "namespace": "d"}
			maybe(metadata, "creationTimestamp", pick("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"))
			if random.Intn(20) == 0 {
				metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
			}
			maybe(metadata, "generation", int64(2))
			maybe(stat, "observedGeneration", pick[int64](2, 2, 2, 2, 2, 1))
			types := kind.conditions
			if random.Intn(15) == 0 {
				types = []string{"Stalled", "Reconciling"}
			}
			if types != nil {
				conditions := []any{}
				for range random.Intn(4) {
					conditions = append(conditions, condition(types...))
				}
				if len(conditions) > 0 {
					stat["conditions"] = conditions
				}
			}
			whole := object{"apiVersion": kind.apiVersion, "kind": kind.kind, "metadata": metadata, "spec": spec}
			if len(stat) > 0 {
				whole["status"] = stat
			}
			result, err := status.Compute(&unstructured.Unstructured{Object: whole})
			if err != nil {
				panic(err)
			}
			row := object{"object": whole, "status": result.Status, "message": result.Message}
			if len(result.Conditions) > 0 {
				row["reason"] = result.Conditions[0].Reason
			}
			rows = append(rows, row)
		}
	}
	return rows
}
