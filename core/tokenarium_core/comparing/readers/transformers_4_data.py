"""The classes of transformers 4 that run a `tokenizer.json`, and the special tokens that each has by default.

Written by packaging/generate_reader_classes.py out of transformers 4.57.6; do not edit it by hand.
"""

from __future__ import annotations

from typing import Final

FAST_CLASSES: Final = {
    "AlbertTokenizerFast": (
        "bos_token=[CLS] eos_token=[SEP] unk_token=<unk> sep_token=[SEP] pad_token=<pad> "
        "cls_token=[CLS] mask_token=[MASK]"
    ),
    "BartTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "BarthezTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "BertTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "BigBirdTokenizerFast": (
        "unk_token=<unk> bos_token=<s> eos_token=</s> pad_token=<pad> sep_token=[SEP] "
        "mask_token=[MASK] cls_token=[CLS]"
    ),
    "BlenderbotSmallTokenizerFast": "unk_token=<|endoftext|> bos_token=<|endoftext|> eos_token=<|endoftext|>",
    "BlenderbotTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "BloomTokenizerFast": "unk_token=<unk> bos_token=<s> eos_token=</s> pad_token=<pad>",
    "CLIPTokenizerFast": (
        "unk_token=<|endoftext|> bos_token=<|startoftext|> eos_token=<|endoftext|> "
        "pad_token=<|endoftext|>"
    ),
    "CamembertTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "CodeGenTokenizerFast": "unk_token=<|endoftext|> bos_token=<|endoftext|> eos_token=<|endoftext|>",
    "CodeLlamaTokenizerFast": "unk_token=<unk> bos_token=<s> eos_token=</s>",
    "CohereTokenizerFast": "unk_token=<UNK> bos_token=<BOS_TOKEN> eos_token=<|END_OF_TURN_TOKEN|>",
    "ConvBertTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "CpmTokenizerFast": (
        "bos_token=<s> eos_token=</s> unk_token=<unk> sep_token=<sep> pad_token=<pad> "
        "cls_token=<cls> mask_token=<mask>"
    ),
    "DPRContextEncoderTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "DPRQuestionEncoderTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "DPRReaderTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "DebertaTokenizerFast": (
        "bos_token=[CLS] eos_token=[SEP] sep_token=[SEP] cls_token=[CLS] unk_token=[UNK] "
        "pad_token=[PAD] mask_token=[MASK]"
    ),
    "DebertaV2TokenizerFast": (
        "bos_token=[CLS] eos_token=[SEP] unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] "
        "cls_token=[CLS] mask_token=[MASK]"
    ),
    "DistilBertTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "ElectraTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "FNetTokenizerFast": "unk_token=<unk> sep_token=[SEP] pad_token=<pad> cls_token=[CLS] mask_token=[MASK]",
    "FunnelTokenizerFast": (
        "unk_token=<unk> sep_token=<sep> pad_token=<pad> cls_token=<cls> mask_token=<mask> "
        "bos_token=<s> eos_token=</s>"
    ),
    "GPT2TokenizerFast": "unk_token=<|endoftext|> bos_token=<|endoftext|> eos_token=<|endoftext|>",
    "GPTNeoXTokenizerFast": "unk_token=<|endoftext|> bos_token=<|endoftext|> eos_token=<|endoftext|>",
    "GemmaTokenizerFast": "unk_token=<unk> bos_token=<bos> eos_token=<eos> pad_token=<pad>",
    "HerbertTokenizerFast": "cls_token=<s> unk_token=<unk> pad_token=<pad> mask_token=<mask> sep_token=</s>",
    "LEDTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "LayoutLMTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "LayoutLMv2TokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "LayoutLMv3TokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "LayoutXLMTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "LlamaTokenizerFast": "unk_token=<unk> bos_token=<s> eos_token=</s>",
    "LongformerTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "LxmertTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "MBart50TokenizerFast": (
        "eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> pad_token=<pad> "
        "mask_token=<mask>"
    ),
    "MBartTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "MPNetTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=[UNK] "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "MT5TokenizerFast": "eos_token=</s> unk_token=<unk> pad_token=<pad>",
    "MarkupLMTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "MobileBertTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "MvpTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "NllbTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "NougatTokenizerFast": "unk_token=<unk> bos_token=<s> eos_token=</s> pad_token=<pad>",
    "OpenAIGPTTokenizerFast": "unk_token=<unk>",
    "ParakeetTokenizerFast": "",
    "PegasusTokenizerFast": "pad_token=<pad> eos_token=</s> unk_token=<unk> mask_token=<mask_2>",
    "Qwen2TokenizerFast": "unk_token=<|endoftext|> eos_token=<|endoftext|> pad_token=<|endoftext|>",
    "ReformerTokenizerFast": "eos_token=</s> unk_token=<unk>",
    "RemBertTokenizerFast": (
        "bos_token=[CLS] eos_token=[SEP] unk_token=<unk> sep_token=[SEP] pad_token=<pad> "
        "cls_token=[CLS] mask_token=[MASK]"
    ),
    "RoFormerTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "RobertaTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "SeamlessM4TTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> pad_token=<pad>"
    ),
    "SplinterTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "SqueezeBertTokenizerFast": "unk_token=[UNK] sep_token=[SEP] pad_token=[PAD] cls_token=[CLS] mask_token=[MASK]",
    "T5TokenizerFast": "eos_token=</s> unk_token=<unk> pad_token=<pad>",
    "UdopTokenizerFast": "eos_token=</s> sep_token=</s> unk_token=<unk> pad_token=<pad>",
    "WhisperTokenizerFast": "unk_token=<|endoftext|> bos_token=<|endoftext|> eos_token=<|endoftext|>",
    "XGLMTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> pad_token=<pad>"
    ),
    "XLMRobertaTokenizerFast": (
        "bos_token=<s> eos_token=</s> sep_token=</s> cls_token=<s> unk_token=<unk> "
        "pad_token=<pad> mask_token=<mask>"
    ),
    "XLNetTokenizerFast": (
        "bos_token=<s> eos_token=</s> unk_token=<unk> sep_token=<sep> pad_token=<pad> "
        "cls_token=<cls> mask_token=<mask>"
    ),
}
"""The special tokens of each class."""

FAST_OF_MODELS: Final = {
    "AlbertTokenizerFast": "albert nystromformer yoso",
    "BartTokenizerFast": "bart",
    "BarthezTokenizerFast": "barthez",
    "BartphoTokenizer": "bartpho",
    "BertGenerationTokenizer": "bert-generation",
    "BertJapaneseTokenizer": "bert-japanese",
    "BertTokenizerFast": (
        "align bark bert blip bros chinese_clip ernie git grounding-dino megatron-bert mm- "
        "grounding-dino nezha qdqbert tvp vilt visual_bert"
    ),
    "BertweetTokenizer": "bertweet",
    "BigBirdTokenizerFast": "big_bird",
    "BioGptTokenizer": "biogpt",
    "BlenderbotSmallTokenizer": "blenderbot-small",
    "BlenderbotTokenizerFast": "blenderbot",
    "BloomTokenizerFast": "bloom",
    "ByT5Tokenizer": "byt5",
    "CLIPTokenizerFast": "aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit xclip",
    "CTRLTokenizer": "ctrl",
    "CamembertTokenizerFast": "camembert",
    "CanineTokenizer": "canine",
    "ClvpTokenizer": "clvp",
    "CodeGenTokenizerFast": "codegen phi",
    "CodeLlamaTokenizerFast": "code_llama",
    "CohereTokenizerFast": "aya_vision cohere cohere2",
    "ConvBertTokenizerFast": "convbert",
    "CpmAntTokenizer": "cpmant",
    "CpmTokenizerFast": "cpm",
    "DPRQuestionEncoderTokenizerFast": "dpr",
    "DebertaTokenizerFast": "deberta",
    "DebertaV2TokenizerFast": "deberta-v2",
    "DiaTokenizer": "dia",
    "DistilBertTokenizerFast": "distilbert",
    "ElectraTokenizerFast": "electra",
    "ErnieMTokenizer": "ernie_m",
    "EsmTokenizer": "esm",
    "FNetTokenizerFast": "fnet",
    "FSMTTokenizer": "fsmt",
    "FlaubertTokenizer": "flaubert",
    "FunnelTokenizerFast": "funnel",
    "GPT2Tokenizer": "granite granitemoe granitemoehybrid granitemoeshared",
    "GPT2TokenizerFast": (
        "blip-2 dbrx emu3 exaone4 flex_olmo gpt2 gpt_bigcode gpt_neo gptj instructblip "
        "instructblipvideo minimax olmo3 opt starcoder2"
    ),
    "GPTNeoXJapaneseTokenizer": "gpt_neox_japanese",
    "GPTNeoXTokenizerFast": "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmo2 olmoe rwkv stablelm xlstm",
    "GPTSanJapaneseTokenizer": "gptsan-japanese",
    "GPTSw3Tokenizer": "gpt-sw3",
    "GemmaTokenizerFast": (
        "gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 "
        "siglip2 t5gemma"
    ),
    "HerbertTokenizerFast": "herbert",
    "JukeboxTokenizer": "jukebox",
    "LEDTokenizerFast": "led",
    "LayoutLMTokenizerFast": "layoutlm",
    "LayoutLMv2TokenizerFast": "layoutlmv2",
    "LayoutLMv3TokenizerFast": "layoutlmv3 lilt",
    "LayoutXLMTokenizerFast": "layoutxlm",
    "LlamaTokenizerFast": (
        "arcee aria chameleon colpali deepseek_v2 deepseek_v3 deepseek_vl deepseek_vl_hybrid "
        "diffllama ernie4_5 ernie4_5_moe idefics idefics2 idefics3 jamba janus jetmoe llama "
        "llama4 llama4_text llava llava_next llava_next_video llava_onevision ministral "
        "mistral mistral3 mixtral mllama paligemma persimmon phi3 phimoe video_llava vipllava "
        "zamba zamba2"
    ),
    "LongformerTokenizerFast": "longformer",
    "LukeTokenizer": "luke",
    "LxmertTokenizerFast": "lxmert",
    "M2M100Tokenizer": "m2m_100",
    "MBart50TokenizerFast": "mbart50",
    "MBartTokenizerFast": "mbart",
    "MLukeTokenizer": "mluke",
    "MPNetTokenizerFast": "mpnet",
    "MT5TokenizerFast": "mt5",
    "MarianTokenizer": "marian",
    "MgpstrTokenizer": "mgp-str",
    "MobileBertTokenizerFast": "mobilebert",
    "MvpTokenizerFast": "mvp",
    "MyT5Tokenizer": "myt5",
    "NllbTokenizerFast": "nllb nllb-moe",
    "OpenAIGPTTokenizerFast": "openai-gpt",
    "PLBartTokenizer": "plbart",
    "ParakeetCTCTokenizer": "parakeet",
    "PegasusTokenizerFast": "bigbird_pegasus pegasus pegasus_x",
    "PerceiverTokenizer": "perceiver",
    "PhobertTokenizer": "phobert",
    "PreTrainedTokenizerFast": (
        "bitnet blt csm falcon glm glm4 glm4_moe glm4v glm4v_moe gpt_oss helium kosmos-2.5 "
        "modernbert moonshine moshi nemotron pixtral smollm3 voxtral"
    ),
    "ProphetNetTokenizer": "prophetnet",
    "Qwen2TokenizerFast": (
        "colqwen2 internvl qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 "
        "qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe"
    ),
    "RagTokenizer": "rag",
    "RealmTokenizerFast": "realm",
    "ReformerTokenizerFast": "reformer",
    "RemBertTokenizerFast": "rembert",
    "RetriBertTokenizerFast": "retribert",
    "RoCBertTokenizer": "roc_bert",
    "RoFormerTokenizerFast": "roformer",
    "RobertaTokenizerFast": "bridgetower clap data2vec-text ibert mega mra roberta roberta-prelayernorm",
    "SeamlessM4TTokenizerFast": "seamless_m4t seamless_m4t_v2",
    "SiglipTokenizer": "siglip",
    "Speech2Text2Tokenizer": "speech_to_text_2",
    "Speech2TextTokenizer": "speech_to_text",
    "SpeechT5Tokenizer": "speecht5",
    "SplinterTokenizerFast": "splinter",
    "SqueezeBertTokenizerFast": "squeezebert",
    "T5TokenizerFast": "longt5 musicgen musicgen_melody pix2struct switch_transformers t5 umt5",
    "TapasTokenizer": "tapas",
    "TapexTokenizer": "tapex",
    "TransfoXLTokenizer": "transfo-xl",
    "UdopTokenizerFast": "udop",
    "VitsTokenizer": "vits",
    "Wav2Vec2CTCTokenizer": "data2vec-audio hubert wav2vec2 wav2vec2-bert wav2vec2-conformer",
    "Wav2Vec2PhonemeCTCTokenizer": "wav2vec2_phoneme",
    "WhisperTokenizerFast": "whisper",
    "XGLMTokenizerFast": "xglm",
    "XLMProphetNetTokenizer": "xlm-prophetnet",
    "XLMRobertaTokenizerFast": "kosmos-2 metaclip_2 xlm-roberta xlm-roberta-xl xmod",
    "XLMTokenizer": "xlm",
    "XLNetTokenizerFast": "xlnet",
}
"""The class for types of models; without “Fast”, it is code in Python."""

SLOW_CLASSES: Final = (
    "BartphoTokenizer BertGenerationTokenizer BertJapaneseTokenizer BertweetTokenizer "
    "BioGptTokenizer ByT5Tokenizer CTRLTokenizer CanineTokenizer ClvpTokenizer "
    "CpmAntTokenizer DiaTokenizer EsmTokenizer FSMTTokenizer "
    "FastSpeech2ConformerTokenizer FlaubertTokenizer GPTNeoXJapaneseTokenizer "
    "GPTSw3Tokenizer LukeTokenizer M2M100Tokenizer MLukeTokenizer MarianTokenizer "
    "MgpstrTokenizer MyT5Tokenizer PLBartTokenizer PerceiverTokenizer PhobertTokenizer "
    "ProphetNetTokenizer RoCBertTokenizer SiglipTokenizer Speech2TextTokenizer "
    "SpeechT5Tokenizer TapasTokenizer VitsTokenizer Wav2Vec2CTCTokenizer "
    "Wav2Vec2PhonemeCTCTokenizer Wav2Vec2Tokenizer XLMTokenizer "
)
"""Classes that are only code in Python."""
