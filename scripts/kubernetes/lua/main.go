// Runs a health check of Argo CD as Argo CD does: by the same interpreter, with the object as the
// global obj and the same few libraries. It reads objects, one a line, as JSON, and writes what the
// check returns for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Argo CD lets a check take a second.
const limit = time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("one argument is wanted: the file of the check")
	}
	script, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	objects := bufio.NewScanner(os.Stdin)
	objects.Buffer(nil, 16<<20)
	for objects.Scan() {
		var object any
		if err := json.Unmarshal(objects.Bytes(), &object); err != nil {
			return err
		}
		health, err := check(string(script), object)
		if err != nil {
			return err
		}
		line, err := json.Marshal(health)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return objects.Err()
}

func check(script string, object any) (map[string]string, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.StringLibName, lua.OpenString},
	} {
		state.Push(state.NewFunction(library.open))
		state.Push(lua.LString(library.name))
		state.Call(1, 0)
	}
	deadline, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	state.SetContext(deadline)
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return nil, fmt.Errorf("the check returned %s, no table", state.Get(-1).Type())
	}
	health := map[string]string{}
	table.ForEach(func(key, value lua.LValue) { health[key.String()] = value.String() })
	return health, nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case float64:
		return lua.LNumber(value)
	case string:
		return lua.LString(value)
	case []any:
		list := state.NewTable()
		for _, item := range value {
			list.Append(toLua(state, item))
		}
		return list
	case map[string]any:
		table := state.NewTable()
		for key, item := range value {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	}
	return lua.LNil
}
