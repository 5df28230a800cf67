// An operator on controller-runtime against bench/reconcile-server.ts: the peer of bench/reconcile-operator.ts, with the
// same arguments (KUBECONFIG MODE COUNT), work and output. A fourth argument, `untyped`, leaves the kind without a type of Go:
// controller-runtime asks the server for such objects, unless it is told to cache them. `queue OPERATIONS KEYS` is client-go's
// work queue alone.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	warm     = 3 * time.Second
	measured = 5 * time.Second
)

type queue = workqueue.TypedRateLimitingInterface[ctrl.Request]

type reconciler struct {
	client client.Client
	mode   string
	count  int
	kind   kind

	mutex       sync.Mutex
	queue       queue
	requests    []ctrl.Request
	round       int64
	firstRound  int64
	firstBegan  time.Time
	firstEnded  time.Time
	doneOfRound int
	done        int
	began       time.Time
	cpuBefore   float64
	ready       time.Time
	delays      []float64
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := r.kind.empty()
	if err := r.client.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.mode == "latency" {
		r.delay(object)
		return ctrl.Result{}, nil
	}
	r.mutex.Lock()
	round := r.round
	r.mutex.Unlock()
	switch {
	case round == 0:
		r.countFirst()
	case r.mode == "noop":
		r.counted()
	case r.kind.observed(object) != round:
		patch := fmt.Appendf(nil, `{"status":{"observedGeneration":%d}}`, round)
		if err := r.client.Status().Patch(ctx, object, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return ctrl.Result{}, err
		}
		r.counted()
	}
	return ctrl.Result{}, nil
}

// countFirst counts the objects of the first list, each once.
func (r *reconciler) countFirst() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.doneOfRound == 0 {
		r.firstBegan = time.Now()
	}
	r.doneOfRound++
	if r.doneOfRound == r.count {
		r.firstEnded = time.Now()
		r.begin()
	}
}

// begin starts the rounds, when the cache has all and the first pass is through; the mutex is held.
func (r *reconciler) begin() {
	if r.round > 0 || r.ready.IsZero() || r.doneOfRound < r.count || r.mode == "latency" {
		return
	}
	r.round = r.firstRound
	r.nextRound()
}

// nextRound puts all keys in line; the mutex is held.
func (r *reconciler) nextRound() {
	r.round++
	r.doneOfRound = 0
	go func() {
		for _, request := range r.requests {
			r.queue.Add(request)
		}
	}()
}

func (r *reconciler) counted() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done++
	r.doneOfRound++
	now := time.Now()
	if r.began.IsZero() {
		if now.Sub(r.ready) < warm {
			r.done = 0
		} else {
			r.began = now
			r.cpuBefore = cpuUs()
		}
	} else if took := now.Sub(r.began); took >= measured {
		r.print(map[string]float64{
			"beganMs":   wallMs(r.firstBegan),
			"endedMs":   wallMs(r.firstEnded),
			"perSecond": float64(r.done) / took.Seconds(),
			"cpuUs":     (cpuUs() - r.cpuBefore) / float64(r.done),
		})
	}
	if r.doneOfRound == r.count {
		r.nextRound()
	}
}

func (r *reconciler) delay(object client.Object) {
	at, err := strconv.ParseFloat(r.kind.at(object), 64)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err == nil && !r.ready.IsZero() && at > wallMs(r.ready.Add(warm)) {
		r.delays = append(r.delays, wallMs(time.Now())-at)
	}
}

func (r *reconciler) printDelays() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	sort.Float64s(r.delays)
	share := func(share float64) float64 { return r.delays[int(float64(len(r.delays))*share)] }
	r.print(map[string]float64{"p50Ms": share(0.5), "p99Ms": share(0.99)})
}

// cpuUs is the processor time of the process in microseconds.
func cpuUs() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1000
}

func wallMs(at time.Time) float64 { return float64(at.UnixMicro()) / 1000 }

func (r *reconciler) print(result map[string]float64) {
	check(json.NewEncoder(os.Stdout).Encode(result))
	os.Exit(0)
}

func main() {
	if os.Args[1] == "queue" {
		benchQueue()
		return
	}
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	// As its GetConfig does: no limit on the client's side.
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	check(err)
	addToScheme(manager.GetScheme())
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	webs := typed
	if len(os.Args) > 4 {
		webs = untyped
	}
	ctx := context.Background()
	// No object has the number of a round yet, whoever patched it before.
	r := &reconciler{client: manager.GetClient(), mode: os.Args[2], count: count, kind: webs, firstRound: time.Now().UnixMilli()}
	for index := range count {
		name := types.NamespacedName{Namespace: "bench", Name: fmt.Sprintf("web-%06d", index)}
		r.requests = append(r.requests, ctrl.Request{NamespacedName: name})
	}
	rounds := source.Func(func(_ context.Context, queue queue) error {
		r.queue = queue
		return nil
	})
	check(ctrl.NewControllerManagedBy(manager).For(webs.empty()).WatchesRawSource(rounds).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}).Complete(r))
	go func() {
		manager.GetCache().WaitForCacheSync(ctx)
		r.mutex.Lock()
		r.ready = time.Now()
		r.begin()
		r.mutex.Unlock()
		fmt.Println("ready")
		bufio.NewReader(os.Stdin).ReadString('\n')
		r.printDelays()
	}()
	check(manager.Start(ctx))
}

func benchQueue() {
	operations, err := strconv.Atoi(os.Args[2])
	check(err)
	keys, err := strconv.Atoi(os.Args[3])
	check(err)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	names := make([]string, keys)
	for index := range names {
		names[index] = fmt.Sprintf("default/object-%d", index)
	}
	began := time.Now()
	for done := 0; done < operations; done += keys {
		for _, name := range names {
			queue.Add(name)
		}
		for range keys {
			key, _ := queue.Get()
			queue.Done(key)
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]float64{"perSecond": float64(operations) / time.Since(began).Seconds()}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
