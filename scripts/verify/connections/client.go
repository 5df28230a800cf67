// A client of `npm run verify -- connections`: URL, FOLDER of certificates and patch, PAIRS, EACH.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
)

func main() {
	url, folder := os.Args[1], os.Args[2]
	pairs, _ := strconv.Atoi(os.Args[3])
	each, _ := strconv.Atoi(os.Args[4])
	ca, _ := os.ReadFile(folder + "/ca.pem")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	pair, _ := tls.LoadX509KeyPair(folder+"/cert.pem", folder+"/key.pem")
	patch, _ := os.ReadFile(folder + "/patch.json")
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}}
	client := &http.Client{Transport: transport}
	for i := 0; i < pairs; i++ {
		if i%each == 0 {
			transport.CloseIdleConnections()
		}
		for _, method := range []string{"GET", "PATCH"} {
			var body io.Reader
			if method == "PATCH" {
				// Without GetBody, Go cannot resend the request by itself.
				body = io.NopCloser(bytes.NewReader(patch))
			}
			request, _ := http.NewRequest(method, url, body)
			if method == "PATCH" {
				request.ContentLength = int64(len(patch))
				request.Header.Set("Content-Type", "application/merge-patch+json")
			}
			answer, err := client.Do(request)
			if err != nil {
				fmt.Println(err)
				continue
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				fmt.Println(err)
			}
			answer.Body.Close()
			if answer.StatusCode != 200 {
				fmt.Println("HTTP", answer.StatusCode)
			}
		}
	}
}
