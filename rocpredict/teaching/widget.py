"""Teaching page as a notebook widget."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from rocpredict.base.validation import RocPredictError
from rocpredict.teaching.assets import script, style

_ESM = """
export default {
  render({ model, el }) {
    const payload = model.get("payload"), root = document.createElement("div"), waiting = new Map();
    const mine = `${Math.random()}-`;
    let asked = 0, held = null;
    root.lang = payload.lang;
    el.append(root);
    const hear = (message) => {
      if (message.set) held.set(message.set);
      const wish = waiting.get(message.id);
      if (!wish) return;
      waiting.delete(message.id);
      if (message.error) wish.reject(new Error(message.error));
      else wish.resolve(message.answer);
    };
    const ask = (state) => new Promise((resolve, reject) => {
      const id = mine + ++asked;
      waiting.set(id, { resolve, reject });
      model.send({ id, state });
    });
    const tell = () => {
      model.set("state", { ...held.state });
      model.save_changes();
    };
    model.on("msg:custom", hear);
    held = mount(root, payload, { ask, suppress: true });
    held.page.on(tell);
    held.ready.then(tell);
    return () => model.off("msg:custom", hear);
  },
};
"""


class TeachingWidget(anywidget.AnyWidget):
    """Teaching page as a notebook widget; ``show(...)`` changes its ``state``.

    Parameters
    ----------
    payload : dict
        Data, texts and options of the page.
    evaluate : function
        Function, such as ``PageModel.evaluate``, that computes the results for a state.
    picture : bytes
        PNG file of the initial state, for viewers that do not run scripts.
    """

    payload = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, payload: dict[str, Any], evaluate: Callable[[Mapping[str, Any]], dict[str, Any]], picture: bytes
    ) -> None:
        self._evaluate, self._picture = evaluate, picture
        super().__init__(payload=payload, state=dict(payload["start"]), _esm=f"{script()}\n{_ESM}", _css=style())
        self.on_msg(self._reply)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget with a picture."""
        bundle: Any = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return data | {"image/png": b64encode(self._picture).decode()}, metadata

    def show(self, **state: Any) -> None:
        """Change the state of the page, for example with ``show(threshold=5.0, prevalence=0.1)``.

        Parameters
        ----------
        **state
            Entries of the state with their new values.
        """
        self.send({"set": state})

    def _reply(self, _: Any, message: Any, buffers: Any) -> None:
        """Send the results or an error message to the page."""
        request = message if isinstance(message, dict) else {}
        try:
            reply: dict[str, Any] = {"answer": self._evaluate(request.get("state") or {})}
        except RocPredictError as error:
            reply = {"error": str(error)}
        self.send({"id": request.get("id")} | reply)
