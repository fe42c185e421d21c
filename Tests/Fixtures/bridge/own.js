// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Forms with a file that replace their own document.

/** Adds a form with a file of the given parts to a document. */
const makeForm = (action, parts, doc = document) => {
  const form = doc.createElement("form");
  Object.assign(form, { method: "post", enctype: "multipart/form-data", action });
  const input = Object.assign(doc.createElement("input"), { type: "file", name: "file" });
  const list = new DataTransfer();
  list.items.add(new File(parts, "a.txt"));
  input.files = list.files;
  form.append(input, doc.createElement("button"));
  (doc.body ?? doc.documentElement).append(form);
  return form;
};

const submissions = {
  click: (form) => form.querySelector("button").click(),
  submit: (form) => form.submit(),
  requestSubmit: (form) => form.requestSubmit(),
};

/** Submits forms of several frames simultaneously to one URL and returns which frames show their own text. */
const together = async (count) => {
  const frames = await Promise.all([...Array(count).keys()].map((index) => new Promise((done) => {
    const frame = Object.assign(document.createElement("iframe"), { src: "/left.html" });
    frame.addEventListener("load", () => done(frame), { once: true });
    document.body.append(frame);
  })));
  // The first form takes the longest.
  const forms = frames.map((frame, index) =>
    makeForm("/echo", [`file of ${index}`, " ".repeat((count - index) * 200_000)], frame.contentDocument));
  const ends = frames.map((frame) => new Promise((done) => frame.addEventListener("load", done, { once: true })));
  for (const form of forms) form.submit();
  await Promise.all(ends);
  return frames.map((frame, index) => frame.contentDocument.body.textContent.includes(`file of ${index} `));
};
