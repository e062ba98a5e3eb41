/**
 * `ask()`, and once more when the worker died meanwhile: that may be this picture's fault or not, so it gets a second worker.
 *
 * @template Answer @param {() => Promise<Answer>} ask @returns {Promise<Answer>} rejects with kind "worker" if that one dies, too
 */
export async function askTwice(ask) {
  try {
    return await ask();
  } catch (error) {
    if (error.kind !== "worker") throw error;
    return ask();
  }
}
