// One run of an operator on controller-runtime against bench/reconcile-server.ts: the peer of
// bench/reconcile-operator.ts, with the same arguments (KUBECONFIG MODE ROUND COUNT), work and output.
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
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type reconciler struct {
	client client.Client
	mode   string
	round  int64
	count  int64

	done   atomic.Int64
	began  sync.Once
	start  time.Time
	mutex  sync.Mutex
	ready  float64
	delays []float64
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	r.began.Do(func() { r.start = time.Now() })
	object := &appsv1.Deployment{}
	if err := r.client.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	switch {
	case r.mode == "noop":
		r.counted()
		return ctrl.Result{RequeueAfter: time.Millisecond}, nil
	case r.mode == "latency":
		r.delay(object)
	case object.Status.ObservedGeneration != r.round:
		patch := fmt.Appendf(nil, `{"status":{"observedGeneration":%d}}`, r.round)
		if err := r.client.Status().Patch(ctx, object, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return ctrl.Result{}, err
		}
		r.counted()
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) counted() {
	if r.done.Add(1) != r.count {
		return
	}
	r.print(map[string]float64{"perSecond": float64(r.count) / time.Since(r.start).Seconds()})
}

func (r *reconciler) delay(object *appsv1.Deployment) {
	at, err := strconv.ParseFloat(object.Annotations["at"], 64)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err == nil && r.ready > 0 && at > r.ready {
		r.delays = append(r.delays, wallMs()-at)
	}
}

func (r *reconciler) printDelays() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	sort.Float64s(r.delays)
	share := func(share float64) float64 { return r.delays[int(float64(len(r.delays))*share)] }
	r.print(map[string]float64{"p50Ms": share(0.5), "p99Ms": share(0.99)})
}

func wallMs() float64 { return float64(time.Now().UnixMicro()) / 1000 }

func (r *reconciler) print(result map[string]float64) {
	check(json.NewEncoder(os.Stdout).Encode(result))
	os.Exit(0)
}

func main() {
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	// As its GetConfig does: no limit on the client's side.
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	check(err)
	round, err := strconv.ParseInt(os.Args[3], 10, 64)
	check(err)
	count, err := strconv.ParseInt(os.Args[4], 10, 64)
	check(err)
	ctx := context.Background()
	r := &reconciler{client: manager.GetClient(), mode: os.Args[2], round: round, count: count}
	check(ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}).Complete(r))
	if r.mode == "latency" {
		go func() {
			manager.GetCache().WaitForCacheSync(ctx)
			r.mutex.Lock()
			r.ready = wallMs()
			r.mutex.Unlock()
			fmt.Println("ready")
			bufio.NewReader(os.Stdin).ReadString('\n')
			r.printDelays()
		}()
	}
	check(manager.Start(ctx))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
