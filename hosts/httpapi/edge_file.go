package httpapi

import (
	"io"
	"iter"
)

const (
	csvType  = "text/csv; charset=utf-8"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// file returns a download of the rows of a sequence that can be iterated repeatedly. If the first
// row fails, the response is an error response.
func file[T any](name, kind string, rows iter.Seq2[T, error],
	write func(io.Writer, iter.Seq2[T, error]) error) (any, error) {
	for _, err := range rows {
		if err != nil {
			return nil, err
		}
		break
	}
	return Response{
		Status: 200, Stream: func(w io.Writer) error { return write(w, rows) },
		Header: Header{"Content-Type": {kind}, "Content-Disposition": {`attachment; filename="` + name + `"`}},
	}, nil
}
