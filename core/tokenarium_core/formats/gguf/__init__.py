"""GGUF files: the tokenizer in a model file of llama.cpp, Ollama and LM Studio."""
