package httpapi

import (
	"io"
	"iter"
)

const (
	csvType  = "text/csv; charset=utf-8"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// file answers with a file of any length, of rows that can be gone through again. What fails
// at the first of them is an error as of any other route.
func file[T any](name, kind string, rows iter.Seq2[T, error], write func(io.Writer, iter.Seq2[T, error]) error) (any, error) {
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
